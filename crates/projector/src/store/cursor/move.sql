-- projector/cursor/move: moves the cursor to the end of a commit, in the same database transaction as the rows of the
-- events up to it; the caller checks for one row
update cursor
   set position = $2, commit_no = $3, at = $4
 where shard = $1 and name = 'reads'
