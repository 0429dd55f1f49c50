-- log/copy_commits: copies commits from a bundle in binary format; the first column of each row is the shard
copy commit (shard, commit_no, batch, writer, last_position, recorded_at, root, signature, frontier)
from stdin (format binary)
