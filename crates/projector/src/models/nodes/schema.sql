-- nodes_v1: nodes as their events tell them, with the columns that lists of them need.
-- Text, not json: its bytes come from us and need no second parsing by the server.
create table if not exists nodes_v1 (
    shard      smallint not null,
    id         uuid     not null,  -- ULID
    version    integer  not null,  -- of the last event folded
    position   bigint   not null,  -- of the first event: the order of creation
    state      text     not null,  -- the aggregate as JSON; boxes in it stay closed
    platform   uuid     not null,
    user_id    uuid     not null,  -- the owner
    kind       text     not null,  -- as the API spells it
    is_active  boolean  not null,  -- whether lists show it
    constraint nodes_v1_pkey primary key (shard, id),
    constraint nodes_v1_user_key unique (shard, user_id, position)
);
create index if not exists nodes_v1_kind on nodes_v1 (shard, platform, kind, position) include (id) where is_active;
