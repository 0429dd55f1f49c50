-- V13__client_secret: what calls to subscriptions are signed with besides, so that receivers of the original service find
-- the headers that they check. A platform that was made before has none. A column that may be null: no row is touched.
alter table platform add column sealed_secret bytea;  -- the client secret, sealed under a key of the vault's own
