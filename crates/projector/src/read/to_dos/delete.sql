-- projector/to_dos/delete: what was to be done before a page of the log and is not any more, or at another time
delete from to_dos_v1 t
 using unnest($2::smallint[], $3::timestamptz[], $4::uuid[]) x(process, due_at, id)
 where t.shard = $1 and t.process = x.process and t.due_at = x.due_at and t.id = x.id
