-- access/take_pin_guess: counts a PIN attempt before the PIN is checked, and returns the count and the start of its
-- period. A period that began at or before $4 is over, and the count starts again at 1
insert into refresh as r (shard, user_id, generation, uses, pin_guesses, pin_since)
values ($1, $2, 1, 0, 1, $3)
on conflict (shard, user_id) do update
set pin_guesses = case when r.pin_since > $4 then least(r.pin_guesses + 1, 1000) else 1 end,
    pin_since = case when r.pin_since > $4 then r.pin_since else excluded.pin_since end
returning pin_guesses, pin_since
