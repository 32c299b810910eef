-- Roles of the database "content". Run it once, as superuser, in that database. Then give each role a password.

-- Migrations and restores: owns the tables.
create role content_migrator login;
grant usage, create on schema public to content_migrator;

-- Instances: rows and sequences, no tables.
create role content_app login connection limit 60;
grant usage on schema public to content_app;
alter default privileges for role content_migrator in schema public
  grant select, insert, update, delete on tables to content_app;
alter default privileges for role content_migrator in schema public
  grant usage on sequences to content_app;

-- Backups: reads everything, writes nothing.
create role content_backup login;
grant pg_read_all_data to content_backup;

-- No other role may create tables here.
revoke create on schema public from public;
