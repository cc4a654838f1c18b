#!/bin/sh
# One run by ranks of MPI: the same results, events and summary as by one process; the same failures; what cannot be divided
# is run by one of them.
#
#   run.sh BRINK MPIRUN
set -eu
program=$1 mpirun=$2
# shellcheck source=tests/cluster/lib.sh
. "$(dirname -- "$0")/lib.sh"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
robots=$here/robots.hsml

# ranks COUNT COMMAND...
ranks() { "$mpirun" --oversubscribe --bind-to none -n "$@"; }
# A summary without what every run has of its own: the time it took, and where the code came from.
plain() { sed 's/"engine":.*//' "$1" >"$1.plain"; }
# compare STATUS [OPTION...]: runs by one process and by several leave the same behind, and end with this status
compare() {
  wanted=$1 status=0
  shift
  "$program" run "$robots" --every 0.5 --out one.csv --json "$@" >one.json 2>one.said || status=$?
  [ "$status" -eq "$wanted" ] || fail "one process with $* ends with $status"
  plain one.json
  for n in $counts; do
    status=0
    ranks "$n" "$program" run "$robots" --every 0.5 --out several.csv --json "$@" >several.json 2>several.said || status=$?
    [ "$status" -eq "$wanted" ] || fail "$n ranks with $* end with $status: $(cat several.said)"
    plain several.json
    same one.csv several.csv
    same one.json.plain several.json.plain
  done
}

# ---- the same bytes: draws, notes, rules, samples of all at one time ----
counts='2 4'
compare 0
grep -q '"met":[1-9]' one.json || fail 'no two robots have met'
# An action that ends the run; one that fails, with the same words.
counts=3
compare 0 --set last=500
compare 1 --set worst=300
grep -qF "$(head -n 1 one.said)" several.said || fail "not the same words: $(cat several.said)"

# ---- a picture; a file of another kind ----
ranks 2 "$program" run "$robots" --waiting waiting.svg --every 1 --out two.mat --quiet
grep -q 'rank 1: computed' waiting.svg || fail 'the picture says nothing of rank 1'
"$program" run "$robots" --every 1 --out one.mat --quiet
same one.mat two.mat

# ---- what cannot be divided ----
ranks 2 "$program" run "$model" --until 1 --out few.csv >said 2>&1 || fail "$(cat said)"
grep -q 'one of 2 processes makes the run' said || fail "nothing is said of ranks: $(cat said)"
"$program" run "$model" --until 1 --out alone.csv --quiet
same alone.csv few.csv
refused 2 'no checkpoints' ranks 2 "$program" run "$robots" --checkpoint c --checkpoint-every 1
refused 2 'waits for nobody' "$program" run "$robots" --waiting x.svg

# ---- what is wrong on one rank ends all ----
refused 4 'rank 1: .*another model' ranks 1 "$program" run "$robots" --quiet : \
  -n 1 "$program" run "$robots" --quiet --rtol 1e-9
refused 4 'rank 1: .*missing.hsml' ranks 1 "$program" run "$robots" --quiet : \
  -n 1 "$program" run missing.hsml --quiet
refused 5 'none/x.csv' ranks 3 "$program" run "$robots" --quiet --out none/x.csv
echo 'run: passed'
