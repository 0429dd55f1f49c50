-- bench/ev: an empty table like that of events, as in a simple event store
create table ev (
    pos        bigserial   primary key,
    stream_id  uuid        not null,
    version    bigint      not null,
    typ        text        not null,
    payload    jsonb       not null,
    at         timestamptz not null default now(),
    unique (stream_id, version)
);
create index on ev (typ, pos)
