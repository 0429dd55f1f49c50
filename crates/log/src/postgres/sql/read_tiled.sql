-- log/read_tiled: number of leaves in tiles, from the last tile of leaves; a search from the end of the index
select coalesce((
    select t.n + 1
    from tile t
    where t.shard = $1 and t.level = 0
    order by t.level desc, t.n desc
    limit 1), 0) * 256 as leaves
