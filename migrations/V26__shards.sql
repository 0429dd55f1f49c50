-- V26__shards: which shards take new platforms, and which processes serve several shards. A new table, and a column that
-- may be null, so no lock worth a thought.
create table shard_state (
    shard    smallint not null,
    is_open  boolean  not null,  -- false: new platforms go to other shards; those that are there stay
    constraint shard_state_pkey primary key (shard)
);
comment on table shard_state is 'global: a shard without a row is open; written by the command line alone';

-- Null: a process of a release that knows one shard only. No shard is added while one is there.
alter table reader add column knows_shards boolean;
