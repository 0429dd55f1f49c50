-- V22__devices: an OAuth key is bound to the device that it was made for, and guesses at a PIN are counted. Columns that may
-- be null: no row is touched, and keys that were made before are bound to none until they run out.
alter table oauth_key add column fingerprint bytea;   -- keyed hash of the device's name; null: good from any
alter table refresh add column pin_guesses integer;   -- PINs that were shown since pin_since; null: none
alter table refresh add column pin_since timestamptz;
