-- log/lock_tiles: until the transaction ends nobody else fills or mends tiles of the shard; its writer does not wait for this
select pg_advisory_xact_lock(x'74696c65'::integer, $1::smallint::integer)
