-- vault/update_derived_key: rewraps a key under another master key; no row if another process has rewrapped it
update vault.derived_key d
set wrapped = $3, master = $4
where d.name = $1 and d.wrapped = $2
