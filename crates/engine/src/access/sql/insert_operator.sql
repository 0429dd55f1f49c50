-- access/insert_operator: stores a new operator; an existing operator with the same id stays unchanged
insert into operator (operator, name, secret_hash, created_at)
values ($1, $2, $3, $4)
on conflict (operator) do nothing
