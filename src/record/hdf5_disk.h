/* hdf5_disk.h: a file whose description of itself changes in steps that can be interrupted.
 *
 * An HDF5 file consists of raw data (the numbers) and metadata (what is where). A process that is
 * killed while the library updates metadata leaves a file that nobody can read. So here raw data go to
 * the file at once, where no committed metadata point; metadata are kept in memory, and written by
 * `commit`, in an order in which every moment is a readable file:
 *
 *   1. everything in new space, to which nothing points yet; the file gets its new length;
 *   2. the superblock: the end of the file, as HDF5 knows it, moves on;
 *   3. changes to old metadata, from the end of the file to its beginning. In this layout that means:
 *      indices of chunks, from their last entry to the number of entries; after them the sizes of the
 *      datasets, those created last first. A dataset never gets longer than its data, and the dataset
 *      created first is the last to become longer.
 *
 * Each change is one write within one page, which the system copies in one go. Step 3 relies on indices
 * that only grow: a node that is full is split, and for that moment (some microseconds) the rule does
 * not hold. Nodes are made large enough to make it rare: hdf5.c says how large.
 *
 * If space runs out, that happens in step 1, or when raw data are written: the file stays as the last
 * commit left it. */
#ifndef BRINK_RECORD_HDF5_DISK_H
#define BRINK_RECORD_HDF5_DISK_H

#include "base/base.h"

typedef struct brink_disk_page brink_disk_page;

typedef struct brink_disk {
  int file;
  brink_arena arena;
  brink_disk_page **pages; /* that have metadata, by number */
  size_t npages, capacity;
  uint64_t size;      /* of the file, as it is */
  uint64_t end;       /* of what is allocated; for the driver */
  uint64_t committed; /* bytes that the last commit knows */
  int error;          /* the first failure; 0: none */
  bool reopened;      /* the file was there before: pages have what it has */
  bool given_up;      /* whatever is written now is forgotten, without complaint */
} brink_disk;

/* `file` is empty, and stays the caller's. */
void brink_disk_init(brink_disk *disk, int file, const brink_allocator *allocator);
/* `file` has so many bytes, and they are an HDF5 file; `committed` is what its superblock says, once that is known. */
void brink_disk_reopen(brink_disk *disk, int file, uint64_t size, const brink_allocator *allocator);
void brink_disk_free(brink_disk *disk);

/* All of these: false after a failure, which is kept in `error`. */
bool brink_disk_write_raw(brink_disk *disk, uint64_t at, const void *data, size_t size);
bool brink_disk_write_meta(brink_disk *disk, uint64_t at, const void *data, size_t size);
/* What was written last, committed or not; zeros where nothing was. */
bool brink_disk_read(brink_disk *disk, uint64_t at, void *data, size_t size);
/* The file has `size` bytes, and all metadata are in it. */
bool brink_disk_commit(brink_disk *disk, uint64_t size);

#endif
