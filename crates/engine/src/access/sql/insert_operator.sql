-- access/insert_operator: a new operator; one that has the id already stays
insert into operator (operator, name, secret_hash, created_at)
values ($1, $2, $3, $4)
on conflict (operator) do nothing
