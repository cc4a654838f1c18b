/* hdf5_about.c: what does not change during a run: names, parameters, provenance. */
#include <stdio.h>
#include <string.h>

#include "record/hdf5_parts.h"

/* ---- names ---- */

bool brink_hdf5_is_array(const brink_columns *columns, const brink_tracked *tracked) {
  return strchr(columns->name[tracked->first], '[') != NULL;
}

/* A dataset with all its values at once; rank 0: one value. */
static bool write_dataset(const brink_hdf5_library *h5, hid_t group, const char *name, hid_t type,
                          int rank, hsize_t count, const void *data, const char *unit) {
  hid_t space = rank == 0 ? h5->H5Screate(H5S_SCALAR) : h5->H5Screate_simple(1, &count, NULL);
  hid_t how = h5->H5Pcreate(h5->H5P_CLS_DATASET_CREATE_ID_g);
  h5->H5Pset_obj_track_times(how, false);
  hid_t set = h5->H5Dcreate2(group, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  bool fine = set >= 0 && h5->H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  if (fine && unit != NULL && unit[0] != '\0')
    fine = brink_hdf5_write_attribute(h5, set, "unit", unit);
  h5->H5Dclose(set);
  h5->H5Pclose(how);
  h5->H5Sclose(space);
  return fine;
}

bool brink_hdf5_write_names(brink_hdf5 *own, const brink_columns *columns,
                            const brink_tracked *tracked, const char *name) {
  size_t size = 1;
  for (size_t e = 0; e < tracked->count; e++) {
    size_t length = strlen(columns->name[tracked->first + e]);
    size = length + 1 > size ? length + 1 : size;
  }
  const brink_allocator *allocator = &columns->arena.allocator;
  char *all = brink_allocate(allocator, tracked->count, size);
  if (all == NULL) return false;
  for (size_t e = 0; e < tracked->count; e++) {
    const char *from = columns->name[tracked->first + e];
    memcpy(all + e * size, from, strlen(from));
  }
  hid_t type = brink_hdf5_text_type(&own->library, size);
  bool fine = write_dataset(&own->library, own->names, name, type, 1, tracked->count, all, NULL);
  own->library.H5Tclose(type);
  brink_release(allocator, all, tracked->count, size);
  return fine;
}

/* ---- attributes ---- */

#define LONGEST_ATTRIBUTE ((size_t)32000) /* of 64 kB, which an object may have */

static bool write_one(const brink_hdf5_library *h5, hid_t object, const char *name, hid_t type,
                      const void *value) {
  hid_t space = h5->H5Screate(H5S_SCALAR);
  bool old = h5->H5Aexists(object, name) > 0;
  hid_t attribute = old ? h5->H5Aopen(object, name, H5P_DEFAULT)
                        : h5->H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool fine = attribute >= 0 && h5->H5Awrite(attribute, type, value) >= 0;
  h5->H5Aclose(attribute);
  h5->H5Sclose(space);
  return fine;
}

bool brink_hdf5_write_attribute(const brink_hdf5_library *h5, hid_t object, const char *name,
                                const char *value) {
  size_t length = strlen(value) < LONGEST_ATTRIBUTE ? strlen(value) : LONGEST_ATTRIBUTE;
  hid_t type = brink_hdf5_text_type(h5, length + 1);
  bool fine = write_one(h5, object, name, type, value);
  h5->H5Tclose(type);
  return fine;
}

/* ---- parameters ---- */

static bool write_parameter(brink_hdf5 *own, hid_t group, const brink_tracked *tracked,
                            const brink_moment *start, brink_text *name) {
  const brink_columns *given = &own->given;
  const brink_system *system = given->system;
  const brink_variable *variable = tracked->as;
  const brink_allocator *allocator = &given->arena.allocator;
  size_t size = brink_hdf5_value_size(tracked->as);
  unsigned char *values = brink_allocate(allocator, tracked->count, size), *out = values;
  brink_bare_name(given->name[tracked->first], name);
  if (values == NULL || name->failed) {
    brink_release(allocator, values, tracked->count, size);
    return false;
  }
  for (size_t e = 0; e < tracked->count; e++)
    out = brink_hdf5_put_value(tracked->as, brink_columns_value(given, tracked, e, start), out);
  bool array = brink_hdf5_is_array(given, tracked);
  hid_t type = brink_hdf5_value_type(&own->library, system, tracked->as);
  bool fine = write_dataset(&own->library, group, name->data, type, array ? 1 : 0, tracked->count,
                            values, variable->unit) &&
              (!array || brink_hdf5_write_names(own, given, tracked, name->data));
  own->library.H5Tclose(type);
  brink_release(allocator, values, tracked->count, size);
  return fine;
}

bool brink_hdf5_write_parameters(brink_hdf5 *own, const brink_moment *start) {
  const brink_hdf5_library *h5 = &own->library;
  hid_t group = h5->H5Gcreate2(own->file, "parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  brink_text name = {.allocator = own->given.arena.allocator};
  bool fine = group >= 0;
  for (size_t k = 0; k < own->given.ntracked && fine; k++)
    fine = write_parameter(own, group, &own->given.tracked[k], start, &name);
  brink_text_free(&name);
  h5->H5Gclose(group);
  return fine;
}

/* ---- provenance ---- */

enum { STATUS_SIZE = 32 }; /* always the same: the end of a run is written over its beginning */

static bool put_status(const brink_hdf5_library *h5, hid_t group, const char *status,
                       bool complete) {
  char text[STATUS_SIZE] = "";
  snprintf(text, sizeof text, "%s", status);
  hid_t type = brink_hdf5_text_type(h5, STATUS_SIZE), boolean = brink_hdf5_boolean_type(h5);
  bool fine = write_one(h5, group, "status", type, text) &&
              write_one(h5, group, "complete", boolean, &(int8_t){complete});
  h5->H5Tclose(boolean);
  h5->H5Tclose(type);
  return fine;
}

/* There may be several facts of a name: "import", "import 2". */
static bool put_fact(const brink_hdf5_library *h5, hid_t group, const brink_fact *fact) {
  char name[64];
  snprintf(name, sizeof name, "%.50s", fact->name);
  for (int k = 2; k < 100 && h5->H5Aexists(group, name) > 0; k++)
    snprintf(name, sizeof name, "%.50s %d", fact->name, k);
  return brink_hdf5_write_attribute(h5, group, name, fact->value);
}

bool brink_hdf5_write_provenance(brink_hdf5 *own, const brink_results_def *def) {
  const brink_hdf5_library *h5 = &own->library;
  hid_t group = h5->H5Gcreate2(own->file, "provenance", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool fine = group >= 0;
  for (size_t k = 0; k < def->nfacts && fine; k++) fine = put_fact(h5, group, &def->facts[k]);
  fine = fine && put_status(h5, group, "running", false);
  h5->H5Gclose(group);
  return fine;
}

bool brink_hdf5_write_status(brink_hdf5 *own, const char *status, bool complete) {
  const brink_hdf5_library *h5 = &own->library;
  hid_t group = h5->H5Gopen2(own->file, "provenance", H5P_DEFAULT);
  bool fine = group >= 0 && put_status(h5, group, status, complete);
  h5->H5Gclose(group);
  return fine;
}
