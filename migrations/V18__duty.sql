-- V18__duty: processes that one process of the operating system does at a time. A new table only, so no lock worth a thought.
create table duty (
    shard    smallint not null,
    process  smallint not null,  -- as the domain numbers it: 2 is settlement
    constraint duty_pkey primary key (shard, process)
);
comment on table duty is 'whoever does the work holds the row meanwhile; it is never updated';
insert into duty (shard, process) select shard, 2 from shard;
