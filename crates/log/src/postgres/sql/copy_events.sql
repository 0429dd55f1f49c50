-- log/copy_events: copies events from a bundle in binary format; the first column of each row is the shard
copy event (shard, position, event_id, stream, stream_kind, version, type, schema_version, recorded_at, effective_at,
            actor, cause_id, correlation_id, platform, data, sealed, sealed_hash)
from stdin (format binary)
