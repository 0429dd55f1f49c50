-- log/copy_commits: rows as a bundle holds them; the shard is the first column of each
copy commit (shard, commit_no, batch, writer, last_position, recorded_at, root, signature, frontier)
from stdin (format binary)
