#!/bin/sh
# Shares of a sweep, joined, are the table of the whole sweep, byte for byte; what is missing, torn or foreign is refused.
#
#   shares.sh BRINK
set -eu
program=$1
# shellcheck source=tests/cluster/lib.sh
. "$(dirname -- "$0")/lib.sh"

sweep --jobs 1 --out whole.csv

# Any number of shares, in any order; more than runs, too.
for n in 1 3 8; do
  for k in $(seq "$n" -1 1); do sweep --out "table$n.csv" --share "$k/$n"; done
  sweep --out "table$n.csv" --join "$n"
  same whole.csv "table$n.csv"
  [ ! -e "table$n.csv.resume" ] || fail 'the joined table counts as incomplete'
done
few() { "$program" sweep "$model" --until 1 --vary drop=1,2,3 --quiet "$@"; }
few --out few-whole.csv
for k in 1 2 3 4 5; do few --out few.csv --share "$k/5"; done
few --out few.csv --join 5
same few-whole.csv few.csv
[ "$(rows few.csv.5-of-5)" -eq 0 ] || fail 'share 5 of 3 runs has a row'

# Every run is in one share, and the shares are of the same size.
[ "$(rows table3.csv.1-of-3) $(rows table3.csv.3-of-3)" = '107 106' ] || fail 'uneven shares'

# A share that was killed is torn; it is refused, completed, and then joined.
cp table8.csv.3-of-8 complete
head -c 1500 complete >table8.csv.3-of-8
refused 5 'table8.csv.3-of-8 is not complete: .* of 40 rows' sweep --out table8.csv --join 8
same whole.csv table8.csv # the table that was there is as it was
sweep --out table8.csv --share 3/8 --resume
same complete table8.csv.3-of-8
sweep --out table8.csv --join 8
same whole.csv table8.csv

# --resume is allowed where there is nothing to do, and where nothing was begun.
sweep --out table8.csv --share 3/8 --resume
same complete table8.csv.3-of-8
sweep --out fresh.csv --share 3/8 --resume
same complete fresh.csv.3-of-8

# What is not there, what is of another sweep, what was exchanged.
refused 5 'fresh.csv.1-of-8.*has not been made' sweep --out fresh.csv --join 8
refused 2 'another sweep' sweep --out table8.csv --join 8 --rtol 1e-8
refused 2 'another sweep' few --out table8.csv --join 8
refused 2 'cannot be continued' sweep --out table8.csv --share 3/8 --resume --rtol 1e-8
cp table8.csv.1-of-8 keep
cp table8.csv.2-of-8 table8.csv.1-of-8
refused 5 'table8.csv.1-of-8 was altered' sweep --out table8.csv --join 8
cp table8.csv.2-of-8.resume table8.csv.1-of-8.resume
refused 2 'another sweep' sweep --out table8.csv --join 8

# Wrong words.
for word in 0/8 9/8 3 3/ /8 3/8x -1/8 3/0 1/10000000; do
  refused 2 'share' sweep --out x.csv --share "$word"
done
refused 2 'join' sweep --out x.csv --join 0
refused 2 'not both' sweep --out x.csv --join 2 --share 1/2
refused 2 'give --out FILE' sweep --share 1/2
refused 2 'leave --resume out' sweep --out x.csv --join 2 --resume
[ ! -e x.csv ] || fail 'a refused sweep has written a table'

# Sobol indices come from the joined table.
indices() { "$program" sweep "$model" --until 1 --samples 8 --vary drop=1:2 --vary bounce=0.5:0.9 --measure 'max(v)' --quiet "$@"; }
indices --out indices-whole.csv --indices indices-one.csv
for k in 1 2; do indices --out indices-table.csv --indices none.csv --share "$k/2"; done
[ ! -e none.csv ] || fail 'a share has written indices'
indices --out indices-table.csv --indices indices-two.csv --join 2
same indices-whole.csv indices-table.csv
same indices-one.csv indices-two.csv
echo 'shares: passed'
