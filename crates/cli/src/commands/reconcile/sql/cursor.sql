-- reconcile/cursor: cursors with an unknown name, or with a position that is not the end of their commit
select c.name, c.position, c.commit_no
  from cursor c
  left join commit k on k.shard = c.shard and k.commit_no = c.commit_no
 where c.shard = $1
   and (c.name not in ('reads', 'last_entries', 'webhooks')
        or k.last_position is distinct from c.position and (c.position, c.commit_no) <> (0, 0))
