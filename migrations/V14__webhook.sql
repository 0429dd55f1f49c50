-- V14__webhook: what subscriptions are still to be told, and what was told. New tables only, so no lock worth a thought.
create table webhook_lane (
    shard         smallint    not null,
    subscription  uuid        not null,
    record        uuid        not null,  -- the stream whose events are told in order
    version       integer     not null,  -- of the next event that may be told
    last          integer     not null,  -- of the last one
    attempts      smallint    not null,  -- how often the next one was told in vain
    due_at        timestamptz not null,  -- UTC; while somebody is at it, when somebody else may be
    constraint webhook_lane_pkey primary key (shard, subscription, record)
);
create index webhook_lane_due on webhook_lane (shard, subscription, attempts desc, due_at);

create table webhook_attempt (
    shard         smallint    not null,
    subscription  uuid        not null,
    id            uuid        not null,  -- ULID; of the box, too
    position      bigint      not null,  -- of the event
    event_id      uuid        not null,
    attempt       smallint    not null,  -- 1, 2, 3, …; 0 if a person asked for it
    outcome       text        not null,  -- what came of it, in a word
    status        smallint,              -- of the answer, if there was one
    took_ms       integer     not null,
    sealed        bytea,                 -- how the answer began; class profile of the platform's own user
    constraint webhook_attempt_pkey primary key (shard, subscription, id)
);
create index webhook_attempt_newest on webhook_attempt (shard, id);
comment on table webhook_attempt is 'kept for thirty days';
