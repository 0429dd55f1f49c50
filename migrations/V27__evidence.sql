-- V27__evidence: evidence whose keys have to be destroyed is found without reading the log. The index is empty on every log
-- so far, but each row is looked at once: appends wait for it, about a second per ten million events.
create index event_evidence_destroyed on event (shard, position) include (stream) where type = 131;
