-- V8__proof: the hash tree over all events. Every commit has the root after it, a signature of that, and what the tree
-- grows on from. A new column that is null in old rows, so no rewrite; commits of before get theirs once, later.
alter table commit add column frontier bytea;
comment on column commit.root is 'root of the hash tree after the commit''s last event';
comment on column commit.signature is 'of the commit with its root; id of the key, then Ed25519';
comment on column commit.frontier is 'hashes of the largest complete subtrees, from left to right';

create function refuse_change_but_proof() returns trigger language plpgsql as $$
begin
    if old.frontier is null and new.frontier is not null
       and (new.shard, new.commit_no, new.batch, new.writer, new.last_position, new.recorded_at)
           is not distinct from (old.shard, old.commit_no, old.batch, old.writer, old.last_position, old.recorded_at)
       and (old.root is null or new.root = old.root)
       and (old.signature is null or new.signature = old.signature) then
        return new;
    end if;
    raise exception '% is append-only', tg_table_name using errcode = '42501';
end $$;
drop trigger commit_append_only on commit;
create trigger commit_append_only before delete or truncate on commit
    for each statement execute function refuse_change();
create trigger commit_proved_once before update on commit
    for each row execute function refuse_change_but_proof();

-- What proofs are made of. Follows from the events: may be emptied, and is filled again.
create table tile (
    shard   smallint not null,
    level   smallint not null,  -- of the tile: its hashes are of subtrees of 256^level leaves
    n       bigint   not null,
    hashes  bytea    not null,  -- up to 256, 32 bytes each
    constraint tile_pkey primary key (shard, level, n)
);

create table checkpoint (
    shard    smallint    not null,
    size     bigint      not null,  -- position of the last event that it covers
    note     text        not null,  -- as it was signed and given away
    made_at  timestamptz not null,
    constraint checkpoint_pkey primary key (shard, size)
);
create trigger checkpoint_append_only before update or delete or truncate on checkpoint
    for each statement execute function refuse_change();

-- Finds an event by its id. Ids begin with the time, so a summary of ranges of pages is enough: next to nothing to write.
create index event_id_range on event using brin (event_id uuid_minmax_multi_ops) with (autosummarize = on);
