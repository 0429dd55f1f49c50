-- vault/create_keys: inserts the wrapped data keys of a subject; an existing key stays unchanged
insert into vault.subject_key (shard, subject, class, wrapped, created_at, master)
select h.shard, $2, x.class, x.wrapped, $5, $6
from shard h, unnest($3::smallint[], $4::bytea[]) as x (class, wrapped)
where h.shard = $1
on conflict (shard, subject, class) do nothing
