# shellcheck shell=sh disable=SC2034,SC2154
# Sourced by the tests of sweeps by shares and by ranks: a sweep of some hundred runs, many of which fail, and what to do
# with it. `program` is set before.

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
model=$here/ball.hsml

# sweep [OPTION...]: a quick one, in one process
sweep() { "$program" sweep "$model" --until 3 --vary drop=1:2:40 --vary bounce=0.5:0.9:8 --measure 'max(h)' --quiet "$@"; }
# slow [OPTION...]: a longer one: there is time to end it
slow() { "$program" sweep "$model" --until 3 --set effort=20000 --vary drop=1:2:30 --vary bounce=0.9:1:8 --quiet "$@"; }

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# same FILE FILE
same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }

# refused STATUS PATTERN COMMAND...: ends with this status, and says this
refused() {
  wanted=$1 pattern=$2 status=0
  shift 2
  "$@" >said 2>&1 || status=$?
  if [ "$status" -ne "$wanted" ] || ! grep -q -- "$pattern" said; then
    cat said >&2
    fail "'$*' gave $status, not $wanted and '$pattern'"
  fi
}

# rows FILE: how many it has, without the names
rows() { if [ -f "$1" ]; then echo $(($(wc -l <"$1") - 1)); else echo 0; fi; }

# await_rows FILE COUNT: until the file has so many
await_rows() {
  for _ in $(seq 1200); do
    if [ "$(rows "$1")" -ge "$2" ]; then return 0; fi
    sleep 0.05
  done
  fail "$1 has no $2 rows after a minute"
}
