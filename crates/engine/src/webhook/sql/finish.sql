-- engine/webhook/finish: a lane in which nothing is left
delete from webhook_lane l
where l.shard = $1 and l.subscription = $2 and l.record = $3 and l.version > l.last
