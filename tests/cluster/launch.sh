#!/bin/sh
# A sweep that was started several times by mpirun or srun, and cannot know the others, is refused: all of them would write
# the same table. No MPI is needed for that.
#
#   launch.sh BRINK
set -eu
program=$1
# shellcheck source=tests/cluster/lib.sh
. "$(dirname -- "$0")/lib.sh"

sweep --out one.csv

# A program without its module. One that lies in the current directory is not its module.
mkdir bin
cp "$program" bin/brink
echo 'not a library' >brink-mpi.so
alone() { OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 bin/brink sweep "$model" --until 1 --vary drop=1,2 --out x.csv; }
refused 2 'mpirun has started 2 processes, .* no brink-mpi.so' alone
# A module that is none.
cp brink-mpi.so bin
refused 2 'cannot work together: .*brink-mpi.so' alone

# Tasks of srun without MPI: only as shares.
task() { SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=4 sweep "$@"; }
refused 2 'srun has started 4 processes, .*--mpi=pmix.*--share' task --out x.csv
task --out table.csv --share 2/4
[ "$(rows table.csv.2-of-4)" -eq 80 ] || fail 'a task with its share has not made it'
[ ! -e x.csv ] || fail 'a refused sweep has written a table'

# One task, a batch script, other commands: as ever.
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 sweep --out step.csv
same one.csv step.csv
SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_ARRAY_TASK_ID=3 sweep --out batch.csv
same one.csv batch.csv
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 "$program" check "$model" >/dev/null
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 "$program" run "$model" --until 1 >/dev/null

# A run by ranks that cannot find each other: all of them would write the same file.
lonely() { OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 bin/brink run "$model" --until 1; }
refused 2 'cannot work together: .*brink-mpi.so' lonely
rm bin/brink-mpi.so
refused 2 'no brink-mpi.so .*Start it once$' lonely
echo 'launch: passed'
