-- access/clear_pin_guesses: resets the count of PIN attempts of a user after a correct PIN
update refresh
set pin_guesses = 0
where shard = $1 and user_id = $2
