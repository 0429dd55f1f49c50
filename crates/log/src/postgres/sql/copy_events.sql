-- log/copy_events: rows as a bundle holds them; the shard is the first column of each
copy event (shard, position, event_id, stream, stream_kind, version, type, schema_version, recorded_at, effective_at,
            actor, cause_id, correlation_id, platform, data, sealed, sealed_hash)
from stdin (format binary)
