/* hdf5_driver.c: HDF5 on a brink_disk: a "virtual file driver", as the library calls it.
 *
 * The library opens a file by its name and hands nothing else to a driver. So the name is the address
 * of the disk. */
#include "record/hdf5_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct handle {
  H5FD_t shared; /* the library's part */
  brink_disk *disk;
} handle;

static brink_disk *disk_of(const H5FD_t *file) {
  return ((const handle *)file)->disk;
}

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t most) {
  (void)flags;
  (void)access;
  (void)most;
  void *disk;
  if (sscanf(name, "%p", &disk) != 1) return NULL;
  handle *made = calloc(1, sizeof *made); /* the library's memory is not the disk's */
  if (made == NULL) return NULL;
  made->disk = disk;
  return &made->shared;
}

static herr_t close_file(H5FD_t *file) {
  free(file);
  return 0;
}

/* The end of what is allocated. */
static haddr_t get_eoa(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return disk_of(file)->end;
}

static herr_t set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t end) {
  (void)type;
  disk_of(file)->end = end;
  return 0;
}

static haddr_t get_eof(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return disk_of(file)->size;
}

static herr_t read_file(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                        void *data) {
  (void)type;
  (void)transfer;
  return brink_disk_read(disk_of(file), at, data, size) ? 0 : -1;
}

/* Metadata are written by flushes, and a flush that fails leaves the library in a state in which it
 * cannot close the file (1.10). So that they do not fit in memory is told by the commit. */
static herr_t write_file(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                         const void *data) {
  (void)transfer;
  brink_disk *disk = disk_of(file);
  if (type == H5FD_MEM_DRAW) return brink_disk_write_raw(disk, at, data, size) ? 0 : -1;
  brink_disk_write_meta(disk, at, data, size);
  return 0;
}

hid_t brink_hdf5_driver_use(const brink_hdf5_library *library, brink_disk *disk, hid_t *driver,
                            char name[BRINK_HDF5_NAME]) {
  static const H5FD_class_t ours = {.name = "brink",
                                    .maxaddr = (haddr_t)INT64_MAX,
                                    .fc_degree = H5F_CLOSE_STRONG,
                                    .open = open_file,
                                    .close = close_file,
                                    .get_eoa = get_eoa,
                                    .set_eoa = set_eoa,
                                    .get_eof = get_eof,
                                    .read = read_file,
                                    .write = write_file,
                                    .fl_map = H5FD_FLMAP_DICHOTOMY};
  snprintf(name, BRINK_HDF5_NAME, "%p", (void *)disk);
  *driver = library->H5FDregister(&ours);
  hid_t access = library->H5Pcreate(library->H5P_CLS_FILE_ACCESS_ID_g);
  /* Numbers in metadata must not lie across two pages. */
  if (*driver < 0 || library->H5Pset_driver(access, *driver, NULL) < 0 ||
      library->H5Pset_alignment(access, 1, 8) < 0) {
    library->H5Pclose(access);
    return -1;
  }
  return access;
}

bool brink_hdf5_driver_commit(brink_disk *disk) {
  return brink_disk_commit(disk, disk->end);
}
