-- access/clear_pin_guesses: the PIN was right
update refresh
set pin_guesses = 0
where shard = $1 and user_id = $2
