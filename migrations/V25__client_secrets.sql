-- V25__client_secrets: the secrets of a platform, of which several may be good while one is replaced, and which can be
-- revoked. New tables, and a column that may be null. Platforms wait for the trigger, a moment; then all of them are read,
-- one row each.
create table client_secret (
    platform       uuid        not null,
    secret_no      integer     not null,  -- from 1, the secret that the platform was made with
    secret_hash    bytea       not null,  -- keyed hash of client id and secret
    sealed_secret  bytea,                 -- the secret, sealed as in V13; null: the platform was made before it was kept
    created_at     timestamptz not null,
    good_until     timestamptz,           -- from then on it opens nothing new; null: until it is rotated or revoked
    revoked_at     timestamptz,           -- from then on neither it nor what was issued under it opens anything
    constraint client_secret_pkey primary key (platform, secret_no)
);
comment on table client_secret is 'global: small, read-mostly, written by the command line alone';

-- A process of the release before makes a platform in its own table alone.
create function keep_first_secret() returns trigger language plpgsql as $$
begin
    insert into public.client_secret (platform, secret_no, secret_hash, sealed_secret, created_at)
    values (new.platform, 1, new.secret_hash, new.sealed_secret, new.created_at);
    return null;
end
$$;
create trigger platform_keeps_first_secret after insert on platform
    for each row execute function keep_first_secret();
insert into client_secret (platform, secret_no, secret_hash, sealed_secret, created_at)
select platform, 1, secret_hash, sealed_secret, created_at from platform;

-- Under which secret a key was asked for; null: under the first.
alter table oauth_key add column secret_no integer;

create trigger client_secret_ends_for_good before update on client_secret
    for each row when (
        (old.platform, old.secret_no, old.secret_hash, old.sealed_secret, old.created_at)
            is distinct from (new.platform, new.secret_no, new.secret_hash, new.sealed_secret, new.created_at)
        or old.good_until is not null and (new.good_until is null or new.good_until > old.good_until)
        or old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at
    ) execute function refuse_change();
create trigger client_secret_stays before delete or truncate on client_secret
    for each statement execute function refuse_change();
