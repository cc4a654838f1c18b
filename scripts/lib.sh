# shellcheck shell=sh disable=SC2034
# Sourced by the other scripts: the root of the tree, and the sources in it.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root" || exit 1

# Number of processors, for builds and tests that run side by side.
jobs=$(nproc 2>/dev/null || echo 2)

# The C files of the tree, tracked or new but not ignored; without git, by their places. Not those of python/cdef:
# declarations with "..." in them, which are cffi's.
list_sources() {
  if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git -C "$root" ls-files --cached --others --exclude-standard -- '*.c' '*.h' ':!python/cdef'
  else
    find include src experiments problems tests examples bench python/src -name '*.[ch]' 2>/dev/null
  fi | sort -u | while IFS= read -r file; do
    if [ -f "$file" ]; then printf '%s\n' "$file"; fi # deleted, but still in the index
  done
}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
