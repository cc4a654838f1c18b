/* hdf5_disk.c: a file whose description of itself changes in steps that can be interrupted. */
#include "record/hdf5_disk.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "record/results_parts.h"

enum {
  PAGE = 4096,
  SUPERBLOCK = 96, /* version 0 */
  NEAR = 16,       /* changes that are nearer than that are one write: numbers change as a whole */
};

struct brink_disk_page {
  uint64_t at;
  bool changed;
  unsigned char now[PAGE], disk[PAGE];
};

void brink_disk_init(brink_disk *disk, int file, const brink_allocator *allocator) {
  *disk = (brink_disk){.file = file};
  brink_arena_init(&disk->arena, allocator);
}

void brink_disk_reopen(brink_disk *disk, int file, uint64_t size,
                       const brink_allocator *allocator) {
  brink_disk_init(disk, file, allocator);
  disk->size = size;
  disk->reopened = true;
}

void brink_disk_free(brink_disk *disk) {
  brink_arena_free(&disk->arena);
  *disk = (brink_disk){.file = -1};
}

static bool fail(brink_disk *disk, int error) {
  if (disk->error == 0) disk->error = error;
  return false;
}

/* ---- pages ---- */

/* The place of the first page at or after `at`. */
static size_t find(const brink_disk *disk, uint64_t at) {
  size_t low = 0, high = disk->npages;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (disk->pages[middle]->at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool read_file(brink_disk *disk, uint64_t at, unsigned char *data, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t count = pread(disk->file, data + done, size - done, (off_t)(at + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(disk, errno);
    if (count == 0) break;
    done += (size_t)count;
  }
  memset(data + done, 0, size - done);
  return true;
}

/* The page at `at`; it is made if there is none. NULL: out of memory. */
static brink_disk_page *page_at(brink_disk *disk, uint64_t at) {
  size_t k = find(disk, at);
  if (k < disk->npages && disk->pages[k]->at == at) return disk->pages[k];
  brink_disk_page *page = brink_arena_take(&disk->arena, 1, sizeof *page);
  if (page == NULL || !brink_arena_reserve(&disk->arena, disk->pages, disk->npages, disk->capacity))
    return NULL;
  if (disk->reopened) {
    if (!read_file(disk, at, page->disk, PAGE)) return NULL;
    memcpy(page->now, page->disk, PAGE);
  }
  memmove(disk->pages + k + 1, disk->pages + k, (disk->npages - k) * sizeof(void *));
  disk->pages[k] = page;
  disk->npages++;
  page->at = at;
  return page;
}

/* What a page and a range have in common. */
typedef struct overlap {
  size_t in_page, in_range, size;
} overlap;

static overlap overlap_of(uint64_t page, uint64_t at, size_t size) {
  uint64_t from = page > at ? page : at;
  uint64_t to = page + PAGE < at + size ? page + PAGE : at + size;
  return (overlap){.in_page = (size_t)(from - page),
                   .in_range = (size_t)(from - at),
                   .size = to > from ? (size_t)(to - from) : 0};
}

/* ---- reading and writing ---- */

bool brink_disk_write_raw(brink_disk *disk, uint64_t at, const void *data, size_t size) {
  if (disk->given_up) return true;
  if (disk->error != 0) return false;
  if (brink_write_at(disk->file, data, size, (off_t)at) != size) return fail(disk, errno);
  if (at + size > disk->size) disk->size = at + size;
  /* Space that was metadata once must not come back. */
  for (size_t k = find(disk, at - at % PAGE); k < disk->npages; k++) {
    brink_disk_page *page = disk->pages[k];
    overlap o = overlap_of(page->at, at, size);
    if (o.size == 0) break;
    memcpy(page->now + o.in_page, (const char *)data + o.in_range, o.size);
    memcpy(page->disk + o.in_page, (const char *)data + o.in_range, o.size);
  }
  return true;
}

bool brink_disk_write_meta(brink_disk *disk, uint64_t at, const void *data, size_t size) {
  if (disk->given_up) return true;
  for (uint64_t place = at - at % PAGE; place < at + size; place += PAGE) {
    brink_disk_page *page = page_at(disk, place);
    if (page == NULL) return fail(disk, ENOMEM);
    overlap o = overlap_of(place, at, size);
    memcpy(page->now + o.in_page, (const char *)data + o.in_range, o.size);
    page->changed = true;
  }
  return true;
}

/* Bytes of a page that are not metadata may be out of date in memory; but then nobody has changed
 * them there, so where memory and disk agree the file is asked. */
bool brink_disk_read(brink_disk *disk, uint64_t at, void *data, size_t size) {
  unsigned char *out = data;
  if (!read_file(disk, at, out, size)) return false;
  for (size_t k = find(disk, at - at % PAGE); k < disk->npages; k++) {
    const brink_disk_page *page = disk->pages[k];
    overlap o = overlap_of(page->at, at, size);
    if (o.size == 0) break;
    for (size_t j = 0; j < o.size; j++) {
      unsigned char now = page->now[o.in_page + j];
      if (now != page->disk[o.in_page + j]) out[o.in_range + j] = now;
    }
  }
  return true;
}

/* ---- commit ---- */

static bool write_range(brink_disk *disk, const brink_disk_page *page, size_t from, size_t to) {
  size_t size = to - from;
  if (brink_write_at(disk->file, page->now + from, size, (off_t)(page->at + from)) != size)
    return fail(disk, errno);
  if (page->at + to > disk->size) disk->size = page->at + to;
  return true;
}

/* What was changed between `from` and `to`, the last change first. */
static bool write_changes(brink_disk *disk, brink_disk_page *page, size_t from, size_t to) {
  while (to > from) {
    if (page->now[to - 1] == page->disk[to - 1]) {
      to--;
      continue;
    }
    size_t start = to - 1;
    for (size_t k = start; k > from && start - k < NEAR; k--) {
      if (page->now[k - 1] != page->disk[k - 1]) start = k - 1;
    }
    if (!write_range(disk, page, start, to)) return false;
    memcpy(page->disk + start, page->now + start, to - start);
    to = start;
  }
  return true;
}

/* Changes with addresses from `from` to `to`. */
static bool write_all(brink_disk *disk, uint64_t from, uint64_t to) {
  for (size_t k = disk->npages; k-- > 0;) {
    brink_disk_page *page = disk->pages[k];
    if (!page->changed || page->at >= to || page->at + PAGE <= from) continue;
    overlap o = overlap_of(page->at, from, (size_t)(to - from));
    if (!write_changes(disk, page, o.in_page, o.in_page + o.size)) return false;
  }
  return true;
}

bool brink_disk_commit(brink_disk *disk, uint64_t size) {
  if (disk->error != 0) return false;
  if (!write_all(disk, disk->committed, UINT64_MAX / 2)) return false;
  if (disk->size < size && ftruncate(disk->file, (off_t)size) != 0) return fail(disk, errno);
  if (disk->size < size) disk->size = size;
  if (!write_all(disk, 0, SUPERBLOCK) || !write_all(disk, SUPERBLOCK, disk->committed))
    return false;
  for (size_t k = 0; k < disk->npages; k++) disk->pages[k]->changed = false;
  if (disk->size > size && ftruncate(disk->file, (off_t)size) != 0) return fail(disk, errno);
  disk->size = disk->committed = size;
  return true;
}
