-- vault/create_keys: gives a subject its data keys, wrapped; a key that is there already stays
insert into vault.subject_key (shard, subject, class, wrapped, created_at, master)
select h.shard, $2, x.class, x.wrapped, $5, $6
from shard h, unnest($3::smallint[], $4::bytea[]) as x (class, wrapped)
where h.shard = $1
on conflict (shard, subject, class) do nothing
