-- Roles and grants of GreyWind. Run by a superuser, connected to the database in question (or to the template
-- from which it is made): `psql -d greywind -f roles.sql`. Running it again changes nothing. It sets no passwords:
-- `\password gw_app` and `\password gw_owner` do.
--
-- gw_owner  owns every object and migrates; no request ever uses it.
-- gw_app    serves requests; owns nothing and row-level security holds for it.
-- gw_doors, gw_search, gw_ledger  nobody logs in as these; they own the few SECURITY DEFINER functions.

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['gw_owner', 'gw_app', 'gw_doors', 'gw_search', 'gw_ledger'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I', wanted);
        END IF;
    END LOOP;
END
$$;

ALTER ROLE gw_owner LOGIN CREATEDB NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOREPLICATION;
ALTER ROLE gw_app LOGIN NOINHERIT NOCREATEDB NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOREPLICATION;
ALTER ROLE gw_doors NOLOGIN NOCREATEDB NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOREPLICATION;
ALTER ROLE gw_search NOLOGIN NOCREATEDB NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOREPLICATION;
ALTER ROLE gw_ledger NOLOGIN NOCREATEDB NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOREPLICATION;

-- A statement that runs this long holds a pooled connection from everybody else. Set here and not at connect:
-- a transaction pooler in between refuses start-up options.
ALTER ROLE gw_app SET statement_timeout = '30s';
ALTER ROLE gw_app SET idle_in_transaction_session_timeout = '60s';

-- The owner may hand a function to a door role (SET), and does not pass through the doors itself (no INHERIT).
DO $$
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE 'GRANT gw_doors, gw_search, gw_ledger TO gw_owner WITH INHERIT FALSE, SET TRUE';
    ELSE
        EXECUTE 'GRANT gw_doors, gw_search, gw_ledger TO gw_owner';
    END IF;
END
$$;

-- Emptying tables between tests, with the append-only triggers asleep.
GRANT SET ON PARAMETER session_replication_role TO gw_owner;

CREATE EXTENSION IF NOT EXISTS vector;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM gw_app;
ALTER SCHEMA public OWNER TO gw_owner;
GRANT USAGE ON SCHEMA public TO gw_app;
-- A function's new owner must be able to create in its schema at that moment.
GRANT USAGE, CREATE ON SCHEMA public TO gw_doors, gw_search, gw_ledger;

DO $$
BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM gw_app', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO gw_app', current_database());
    EXECUTE format('GRANT CONNECT, CREATE, TEMPORARY ON DATABASE %I TO gw_owner', current_database());
END
$$;
