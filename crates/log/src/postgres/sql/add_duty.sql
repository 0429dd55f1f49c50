-- log/add_duty: adds the singleton processes of a new shard: process 2, submission
insert into duty (shard, process)
values ($1, 2)
