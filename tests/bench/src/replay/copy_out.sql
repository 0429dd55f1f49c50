-- bench/copy_out: the log up to a position
copy (select * from event where shard = 1 and position <= $1 order by position) to stdout (format binary)
