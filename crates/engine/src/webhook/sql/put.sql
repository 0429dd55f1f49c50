-- engine/webhook/put: returns a leased lane with its next version, attempts and due time; no row if the lane was
-- rewound meanwhile
update webhook_lane l
set version = $5, attempts = $6, due_at = $7
where l.shard = $1 and l.subscription = $2 and l.record = $3 and l.version = $4
