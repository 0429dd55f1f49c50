-- engine/webhook/finish: deletes a lane without pending events; a lane that got events meanwhile stays
delete from webhook_lane l
where l.shard = $1 and l.subscription = $2 and l.record = $3 and l.version > l.last
