-- projector/cursor/move: to the end of a commit, together with the rows that the events up to there make
update cursor
   set position = $2, commit_no = $3, at = $4
 where shard = $1 and name = 'reads'
