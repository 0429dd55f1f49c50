-- V17__webhook_backlog: which subscriptions are told of the log later than the others. A new table only, so no lock worth a
-- thought.
create table webhook_backlog (
    shard         smallint not null,
    subscription  uuid     not null,
    position      bigint   not null,  -- what is behind it is in no lane yet
    constraint webhook_backlog_pkey primary key (shard, subscription)
);
comment on table webhook_backlog is 'subscriptions without a row follow the cursor webhooks';
