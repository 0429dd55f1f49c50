-- nodes_v1: current states of nodes, with the columns that lists need. The state is text, not json: Daybook encoded it,
-- so the server need not parse it again.
create table if not exists nodes_v1 (
    shard      smallint not null,
    id         uuid     not null,  -- ULID
    version    integer  not null,  -- of the last event folded
    position   bigint   not null,  -- of the first event: the order of creation
    state      text     not null,  -- the aggregate as JSON; boxes in it stay sealed
    platform   uuid     not null,
    user_id    uuid     not null,  -- the owner
    kind       text     not null,  -- as the API spells it
    is_active  boolean  not null,  -- true if lists show the node
    constraint nodes_v1_pkey primary key (shard, id),
    constraint nodes_v1_user_key unique (shard, user_id, position)
);
create index if not exists nodes_v1_kind on nodes_v1 (shard, platform, kind, position) include (id) where is_active;
