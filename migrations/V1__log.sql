-- V1__log: the append-only log of each shard, the idempotency keys written with it, and readers' cursors.
-- New tables only, so no lock worth a thought.
create table shard (
    shard   smallint not null,
    log_id  uuid     not null,  -- tells one log from another: a cursor of a forked or foreign log is refused
    constraint shard_pkey primary key (shard)
);
comment on table shard is 'the fence: its row is locked by every append and never updated';

create table commit (
    shard          smallint    not null,
    commit_no      bigint      not null,  -- 1, 2, 3, … no holes
    batch          uuid        not null,  -- chosen by the writer; tells after a lost COMMIT whose commit this is
    writer         uuid        not null,  -- the process that wrote it
    last_position  bigint      not null,  -- position of the commit's last event
    recorded_at    timestamptz not null,  -- UTC, never earlier than the commit before
    root           bytea,                 -- hash tree root, once proofs are on
    signature      bytea,
    constraint commit_pkey primary key (shard, commit_no)
);
comment on table commit is 'one row per append; the newest row is the head of the log';

create table event (
    shard           smallint    not null,
    position        bigint      not null,  -- 1, 2, 3, … no holes, ever
    event_id        uuid        not null,  -- ULID
    stream          uuid        not null,  -- ULID of the aggregate
    stream_kind     smallint    not null,
    version         integer     not null,  -- 1, 2, 3, … within the stream
    type            smallint    not null,
    schema_version  smallint    not null,
    recorded_at     timestamptz not null,  -- UTC, that of its commit
    effective_at    timestamptz,           -- UTC, when it counts, if that differs
    actor           uuid,                  -- user who asked for it, if one did
    cause_id        uuid,                  -- the command that led to it
    correlation_id  uuid,
    platform        uuid        not null,
    data            json        not null,  -- exact bytes, they are hashed; never personal data
    sealed          bytea,                 -- one box of one subject
    sealed_hash     bytea,                 -- SHA-256 of the box; stays when the box goes
    constraint event_pkey primary key (shard, position),
    constraint event_stream_key unique (shard, stream, version)
);

create table idempotency (
    shard        smallint    not null,
    day_slot     smallint    not null,  -- day modulo 3; the slot ahead is emptied every day
    key          bytea       not null,  -- SHA-256 of platform, user, path and key
    recorded_at  timestamptz not null,  -- UTC; a key counts for 24 hours
    fingerprint  bytea       not null,  -- SHA-256 of the body, to tell a repeat from a misuse
    object       uuid,                  -- what the first request made
    constraint idempotency_pkey primary key (shard, day_slot, key)
);

create table cursor (
    shard      smallint    not null,
    name       text        not null,
    position   bigint      not null,  -- the last contiguous position handled
    commit_no  bigint      not null,  -- the commit that it closes: a cursor stops only there
    root       bytea,
    at         timestamptz,
    constraint cursor_pkey primary key (shard, name)
);

-- Append-only, second wall (the first are the roles): whoever connects, history stays as it is.
create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name using errcode = '42501';
end $$;
create trigger event_append_only before update or delete or truncate on event
    for each statement execute function refuse_change();
create trigger commit_append_only before update or delete or truncate on commit
    for each statement execute function refuse_change();

insert into shard (shard, log_id) values (1, gen_random_uuid());
