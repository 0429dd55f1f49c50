-- V7__scratch: versions of read models that are made to be compared and never to be read. The table is small, and a
-- column with a constant default is added without writing its rows.
alter table projection add column is_scratch boolean not null default false;
comment on column projection.is_scratch is 'made by a reconciliation, which drops it; never read';
