-- V10__fence: whoever appends locks the shard's row, which takes the right to change it. Its number changes for nobody, and
-- it is not deleted: triggers see to that. What log it is may still be set, by who owns the table. No lock worth a thought.
create trigger shard_keeps_its_number before update of shard on shard
    for each statement execute function refuse_change();
create trigger shard_stays before delete or truncate on shard
    for each statement execute function refuse_change();
