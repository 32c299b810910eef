#!/bin/sh
# Sets the passwords of the roles, when the container of PostgreSQL starts for the first time.
set -eu
psql --set=ON_ERROR_STOP=1 --username=postgres --dbname=content \
  --set=app="$APP_PASSWORD" --set=migrator="$MIGRATOR_PASSWORD" <<'SQL'
alter role content_app password :'app';
alter role content_migrator password :'migrator';
SQL
