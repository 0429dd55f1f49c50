-- projector/rebuild/sweep: deletes some rows of a shard; the caller replaces the table name by that of a version
delete from records_v1 t
 where t.shard = $1
   and t.ctid = any(array(select x.ctid from records_v1 x where x.shard = $1 limit $2))
