-- vault/count_traces: number of data keys and blind-index tokens of a subject
select (select count(*) from vault.subject_key k where k.shard = $1 and k.subject = $2) as keys,
       (select count(*) from vault.blind_index b where b.shard = $1 and b.subject = $2) as tokens
