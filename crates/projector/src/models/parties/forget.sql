-- projector/parties/forget: numbers of the last of lists, which a rebuild kept while parties had no index
delete from lasts_v1 where shard = $1
