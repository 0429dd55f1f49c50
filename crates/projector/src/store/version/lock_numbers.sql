-- projector/version/lock_numbers: locks the numbers of all versions; readers do not wait
lock table projection in share row exclusive mode
