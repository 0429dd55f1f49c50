-- V20__for_good: what is said once stays said, whoever connects: a revocation, a generation of tokens that is over, a used
-- key, the event that attests a tree, a version of a read model that is gone. Each trigger waits for who writes to its
-- table, a moment; its condition is looked at without a call.
create trigger operator_revoked_once before update on operator
    for each row when (
        (old.operator, old.secret_hash, old.created_at) is distinct from (new.operator, new.secret_hash, new.created_at)
        or old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at
    ) execute function refuse_change();
create trigger operator_stays before delete or truncate on operator
    for each statement execute function refuse_change();

create trigger refresh_goes_on before update on refresh
    for each row when (
        (old.shard, old.user_id) is distinct from (new.shard, new.user_id)
        or (new.generation, new.uses) < (old.generation, old.uses)
    ) execute function refuse_change();

-- A key counts for 24 hours; after them it may be used again, or forgotten.
create trigger idempotency_counts_for_a_day before update on idempotency
    for each row when (
        (old.shard, old.day_slot, old.key) is distinct from (new.shard, new.day_slot, new.key)
        or new.recorded_at < old.recorded_at + interval '24 hours'
    ) execute function refuse_change();
create trigger idempotency_is_not_forgotten_before before delete on idempotency
    for each row when (old.recorded_at > now() - interval '24 hours') execute function refuse_change();

create trigger last_tree_attested_once before update on last_tree
    for each row when (old.attested is not null and new.attested is distinct from old.attested)
    execute function refuse_change();

-- A scratch version has one row, however often there is one.
create trigger projection_dropped_for_good before update on projection
    for each row when (old.stage = 'dropped' and not old.is_scratch and new.stage <> 'dropped')
    execute function refuse_change();

-- Whoever looks for a key locks its row, which takes the right to change it: of these nothing ever changes.
create trigger subject_key_stays before update of shard, subject, class, created_at on vault.subject_key
    for each statement execute function refuse_change();
