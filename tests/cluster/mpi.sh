#!/bin/sh
# A sweep by ranks of MPI: the same table as in one process, also when a rank is killed.
#
#   mpi.sh BRINK MPIRUN [kill]     kill: also kills ranks, which takes longer than they need to start on this machine
set -eu
program=$1 mpirun=$2
# shellcheck source=tests/cluster/lib.sh
. "$(dirname -- "$0")/lib.sh"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

# Each rank leaves its process number, so that it can be found.
cat >rank <<'END'
#!/bin/sh
echo $$ >"rank-$OMPI_COMM_WORLD_RANK"
exec "$@"
END
chmod +x rank
# ranks COUNT [OPTION OF MPIRUN...] -- COMMAND...
ranks() {
  rm -f rank-*
  "$mpirun" --oversubscribe --bind-to none -n "$@"
}
options="--until 3 --vary drop=1:2:40 --vary bounce=0.5:0.9:8 --measure max(h) --quiet"
slow_options="--until 3 --set effort=20000 --vary drop=1:2:30 --vary bounce=0.9:1:8 --quiet"

# ---- the same bytes ----
sweep --jobs 1 --out one.csv
for n in 2 4; do
  # shellcheck disable=SC2086
  ranks "$n" "$program" sweep "$model" $options --out "ranks$n.csv"
  same one.csv "ranks$n.csv"
  [ ! -e "ranks$n.csv.resume" ] || fail 'the table counts as incomplete'
done
# Two threads in each rank; to standard output; a share.
# shellcheck disable=SC2086
ranks 2 "$program" sweep "$model" $options --jobs 2 >two.csv
same one.csv two.csv
# shellcheck disable=SC2086
ranks 2 "$program" sweep "$model" $options --out share.csv --share 2/3
sweep --out alone.csv --share 2/3
same alone.csv.2-of-3 share.csv.2-of-3

# ---- fits: the same text, JSON and page ----
cat >level.csv <<'END'
time, h
0, 1.5
0.1, 1.47
0.2, 1.29
0.3, 1.08
0.5, 0.31
0.7, 0.83
0.9, 1.02
1.1, 0.84
1.2, 0.64
END
fit_options="--data level.csv --vary drop=1:2 --vary bounce=0.5:0.95 --starts 3"
# shellcheck disable=SC2086
"$program" fit "$model" $fit_options --jobs 1 >one.txt
# shellcheck disable=SC2086
"$program" fit "$model" $fit_options --jobs 1 --json --report one.html >one.json
for n in 2 4; do
  # shellcheck disable=SC2086
  ranks "$n" "$program" fit "$model" $fit_options --json --jobs 2 --report many.html >many.json
  same one.json many.json
  same one.html many.html
done
# shellcheck disable=SC2086
ranks 2 "$program" fit "$model" $fit_options >many.txt
same one.txt many.txt

# ---- what is wrong on one rank is said, and ends all; the work must last until it has said it ----
# shellcheck disable=SC2086
refused 2 'rank 1 has other work than rank 0' ranks 1 "$program" sweep "$model" $slow_options --out x.csv : \
  -n 1 "$program" sweep "$model" $slow_options --out x.csv --rtol 1e-8
# shellcheck disable=SC2086
refused 4 'rank 1: .*missing.hsml' ranks 1 "$program" sweep "$model" $slow_options --out x.csv : \
  -n 1 "$program" sweep missing.hsml $slow_options --out x.csv
# shellcheck disable=SC2086
refused 5 'cannot write none/x.csv' ranks 3 "$program" sweep "$model" $options --out none/x.csv
refused 3 'error:' ranks 3 "$program" sweep rank --vary drop=1,2
# shellcheck disable=SC2086
refused 2 'one process' ranks 2 "$program" sweep "$model" $options --out x.csv --join 2
# Variables of another MPI, or of none.
other() { PMI_RANK=0 PMI_SIZE=3 sweep --out x.csv; }
refused 2 'another MPI' other

# ---- a rank is killed ----
[ "${3-}" = kill ] || { echo 'mpi: passed'; exit 0; }
slow --jobs 1 --out slow.csv

# A fit whose runs are long: a rank is killed, and the others do its work.
slow_fit="$fit_options --set effort=800000 --jobs 1 --json"
# shellcheck disable=SC2086
"$program" fit "$model" $slow_fit >slow.json
# shellcheck disable=SC2086
ranks 3 --enable-recovery ./rank "$program" fit "$model" $slow_fit --patience 5 --progress always >killed.json 2>said &
job=$!
# When rank 0 shows that it makes runs, all ranks have come through MPI_Init; one that is killed in there is waited for forever.
for _ in $(seq 1200); do
  if grep -q 'best so far' said 2>/dev/null; then break; fi
  sleep 0.05
done
sleep 1
kill -9 "$(cat rank-2)" || fail 'the fit was over before a rank could be killed'
status=0
wait "$job" || status=$?
[ "$status" -eq 0 ] || { cat said >&2; fail "mpirun --enable-recovery gave $status"; }
same slow.json killed.json
grep -q 'ranks were given up' said || fail 'nobody has noticed that a rank of a fit was killed'

# begin PATIENCE [OPTION OF MPIRUN...]: ranks in the background, until there are rows
begin() {
  patience=$1
  shift
  # shellcheck disable=SC2086
  ranks 4 "$@" ./rank "$program" sweep "$model" $slow_options --out killed.csv --patience "$patience" >said 2>&1 &
  job=$!
  await_rows killed.csv 8
}
# mpirun ends all ranks, after a moment; nobody does the work of the killed one before. The sweep goes on later, with another
# number of ranks.
begin 600
kill -9 "$(cat rank-2)"
if wait "$job"; then fail 'mpirun has not noticed that a rank was killed'; fi
[ -e killed.csv.resume ] || fail 'the sweep was complete before a rank could be killed'
kept=$(rows killed.csv)
# shellcheck disable=SC2086
ranks 2 "$program" sweep "$model" $slow_options --out killed.csv --resume
same slow.csv killed.csv
[ "$kept" -ge 7 ] || fail "only $kept rows were kept"

# mpirun lets the others live: they do the work, also that of the rank that was killed.
rm killed.csv
begin 1 --enable-recovery
kill -9 "$(cat rank-2)"
status=0
wait "$job" || status=$?
[ "$status" -eq 0 ] || { cat said >&2; fail "mpirun --enable-recovery gave $status"; }
same slow.csv killed.csv
grep -q 'ranks were given up' said || fail 'nobody has noticed that a rank was killed'

# The same with rank 0, which has the table: the others end, and the sweep goes on later. mpirun --enable-recovery does not
# count a rank that was killed as a failure: what tells is FILE.resume.
rm killed.csv
begin 1 --enable-recovery
kill -9 "$(cat rank-0)"
wait "$job" || true
[ -e killed.csv.resume ] || fail 'the sweep was complete before rank 0 could be killed'
# shellcheck disable=SC2086
ranks 2 "$program" sweep "$model" $slow_options --out killed.csv --resume
same slow.csv killed.csv
echo 'mpi: passed'
