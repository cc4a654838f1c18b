/* hdf5_driver.h: HDF5 on a brink_disk. */
#ifndef BRINK_RECORD_HDF5_DRIVER_H
#define BRINK_RECORD_HDF5_DRIVER_H

#include "record/hdf5_disk.h"
#include "record/hdf5_library.h"

/* A property list for H5Fcreate, and the name to give it; negative: failed. The driver is registered
 * under *driver, to be given back with H5FDunregister after the file is closed. */
enum { BRINK_HDF5_NAME = 32 };
hid_t brink_hdf5_driver_use(const brink_hdf5_library *library, brink_disk *disk, hid_t *driver,
                            char name[BRINK_HDF5_NAME]);

/* After H5Fflush, or after H5Fclose: what the library wrote becomes the file. */
bool brink_hdf5_driver_commit(brink_disk *disk);

#endif
