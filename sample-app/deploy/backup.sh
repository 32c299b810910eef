#!/bin/sh
# backup.sh FOLDER: copies rows and files while the application runs.
# DATABASE_URL is that of content_backup, and FILES_FOLDER that of LocalStorage.
set -eu
mkdir -p "$1/files"
[ -d "$FILES_FOLDER" ] || { echo "backup.sh: $FILES_FOLDER is not a folder" >&2; exit 1; }

# Keys of files start with two hexadecimal digits. Uploads in progress are left out. A copy fails if a file is
# deleted during it, and is then repeated: it copies only what is missing.
copy_files() {
  set -- "$1" "$FILES_FOLDER"/[0-9a-f][0-9a-f]
  [ -e "$2" ] || return 0
  folder=$1
  shift
  cp -Ru "$@" "$folder/" || cp -Ru "$@" "$folder/" || cp -Ru "$@" "$folder/"
}

# Files never change under their name. The copy before the dump is the long one. The copy after it adds the
# files that the rows of the dump have and that were uploaded in between.
copy_files "$1/files"
pg_dump --format=custom --file="$1/content.dump" "$DATABASE_URL"
copy_files "$1/files"
