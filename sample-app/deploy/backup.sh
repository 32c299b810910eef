#!/bin/sh
# backup.sh FOLDER: copies rows and files while the application runs.
# DATABASE_URL is that of content_backup, and FILES_FOLDER that of LocalStorage.
set -eu
mkdir -p "$1/files"

# Files never change under their name. The copy before the dump is the long one. The copy after it adds the
# files that the rows of the dump have and that were uploaded in between.
cp -Ru "$FILES_FOLDER/." "$1/files/"
pg_dump --format=custom --file="$1/content.dump" "$DATABASE_URL"
cp -Ru "$FILES_FOLDER/." "$1/files/"
