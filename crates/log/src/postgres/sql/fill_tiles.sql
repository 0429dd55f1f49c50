-- log/fill_tiles: inserts new tiles and appends hashes to partial tiles, which had $4 bytes each. Writes all rows, or
-- none if one tile has another length; the caller checks for 0 rows and holds the lock of log/lock_tiles
insert into tile (shard, level, n, hashes)
with new as (
    select x.level, x.n, x.begins, x.hashes,
           coalesce((
               select o.hashes from tile o where o.shard = $1 and o.level = x.level and o.n = x.n
           ), '') as before
    from unnest($2::smallint[], $3::bigint[], $4::integer[], $5::bytea[]) as x (level, n, begins, hashes)
)
select h.shard, new.level, new.n, new.before || new.hashes
from shard h
cross join new
where h.shard = $1 and (select bool_and(octet_length(a.before) = a.begins) from new a)
on conflict (shard, level, n) do update
set hashes = excluded.hashes
