-- projector/parties/forget: deletes the last numbers of lists, which a rebuild kept while the parties had no index
delete from lasts_v1 where shard = $1
