/* hdf5_parts.h: what hdf5.c and hdf5_about.c share. */
#ifndef BRINK_RECORD_HDF5_PARTS_H
#define BRINK_RECORD_HDF5_PARTS_H

#include "record/hdf5_driver.h"
#include "record/hdf5_table.h"
#include "record/results_parts.h"

typedef struct brink_hdf5 {
  brink_hdf5_library library;
  int descriptor;
  brink_disk disk;
  void *reserve;             /* of memory, to close the file */
  hid_t driver, file, names; /* names: the group for names of elements */
  brink_columns given;       /* parameters */
  brink_hdf5_table rows, events;
  size_t row_bytes;
  size_t flag_size, agent_size; /* of names, in bytes */
  double last_t;                /* of the rows that are written */
} brink_hdf5;

/* hdf5_about.c: what does not change during a run. All of these: false if the library refuses, or
 * memory is out. */

/* Do its elements have a dimension of their own? */
bool brink_hdf5_is_array(const brink_columns *columns, const brink_tracked *tracked);
/* The names of the elements of an array, in /names. */
bool brink_hdf5_write_names(brink_hdf5 *own, const brink_columns *columns,
                            const brink_tracked *tracked, const char *name);
bool brink_hdf5_write_attribute(const brink_hdf5_library *library, hid_t object, const char *name,
                                const char *value);
bool brink_hdf5_write_parameters(brink_hdf5 *own, const brink_moment *start);
/* With "status": "running", and "complete": FALSE. */
bool brink_hdf5_write_provenance(brink_hdf5 *own, const brink_results_def *def);
bool brink_hdf5_write_status(brink_hdf5 *own, const char *status, bool complete);

#endif
