-- log/last/attest: records the position of the attestation of a tree; an attested tree stays unchanged
update last_tree t
set attested = $4
where t.shard = $1 and t.platform = $2 and t.position = $3 and t.attested is null
