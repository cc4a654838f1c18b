#!/bin/sh
# The user's home makes no difference: runs a test by tests/support/alone with HOME not set, with an empty home, and with
# one in which nobody may write, not even root. Of the environment nothing else is there but PATH.
#
#   homes.sh ROOM COMMAND...
set -eu

room=$1
alone=$(CDPATH='' cd -- "$(dirname -- "$0")/../support" && pwd)/alone
shift
rm -rf "$room"
mkdir -p "$room/empty"
for home in '' "HOME=$room/empty" HOME=/proc; do
  echo "== ${home:-HOME is not set}"
  # shellcheck disable=SC2086 # an empty word would be a command
  env -i PATH="$PATH" ${home:+"$home"} "$alone" "$room/room" "$@"
done
[ -z "$(ls -A "$room/empty")" ] || { echo "left in the user's home: $(ls -A "$room/empty")"; exit 1; }
