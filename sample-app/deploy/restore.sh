#!/bin/sh
# restore.sh FOLDER: replaces rows and files by those of a backup, and compares them. Stop the application before.
# DATABASE_URL is that of content_migrator, and FILES_FOLDER that of LocalStorage.
set -eu
mkdir -p "$FILES_FOLDER"
cp -Ru "$1/files/." "$FILES_FOLDER/"
pg_restore --clean --if-exists --no-owner --single-transaction --dbname="$DATABASE_URL" "$1/content.dump"

# Removes bytes without a row, and fails if a row has no bytes.
exec node node_modules/nestjs-content-api/dist/cli.js files check --mend --module dist/app.module.js
