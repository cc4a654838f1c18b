/* hdf5_library.h: the HDF5 library, loaded when it is needed. See docs/decisions/0008-result-files.md. */
#ifndef BRINK_RECORD_HDF5_LIBRARY_H
#define BRINK_RECORD_HDF5_LIBRARY_H

#include "base/base.h"

#include <hdf5.h>

/* Its functions, by the types that its headers give them. */
#define BRINK_HDF5_FUNCTIONS(X)                                                                    \
  X(H5dont_atexit)                                                                                 \
  X(H5open)                                                                                        \
  X(H5get_libversion)                                                                              \
  X(H5Eset_auto2)                                                                                  \
  X(H5Pcreate)                                                                                     \
  X(H5Pclose)                                                                                      \
  X(H5Pset_alignment)                                                                              \
  X(H5Pset_istore_k)                                                                               \
  X(H5Pset_obj_track_times)                                                                        \
  X(H5Pset_chunk)                                                                                  \
  X(H5Pset_chunk_cache)                                                                            \
  X(H5Pset_fill_time)                                                                              \
  X(H5Pset_driver)                                                                                 \
  X(H5FDregister)                                                                                  \
  X(H5FDunregister)                                                                                \
  X(H5Fcreate)                                                                                     \
  X(H5Fopen)                                                                                       \
  X(H5Fflush)                                                                                      \
  X(H5Fclose)                                                                                      \
  X(H5Gcreate2)                                                                                    \
  X(H5Gopen2)                                                                                      \
  X(H5Gclose)                                                                                      \
  X(H5Screate)                                                                                     \
  X(H5Screate_simple)                                                                              \
  X(H5Sget_simple_extent_npoints)                                                                  \
  X(H5Sclose)                                                                                      \
  X(H5Tcopy)                                                                                       \
  X(H5Tset_size)                                                                                   \
  X(H5Tset_strpad)                                                                                 \
  X(H5Tset_cset)                                                                                   \
  X(H5Tenum_create)                                                                                \
  X(H5Tenum_insert)                                                                                \
  X(H5Tclose)                                                                                      \
  X(H5Acreate2)                                                                                    \
  X(H5Aopen)                                                                                       \
  X(H5Aexists)                                                                                     \
  X(H5Awrite)                                                                                      \
  X(H5Aclose)                                                                                      \
  X(H5Dcreate2)                                                                                    \
  X(H5Dopen2)                                                                                      \
  X(H5Dwrite)                                                                                      \
  X(H5Dwrite_chunk)                                                                                \
  X(H5Dread_chunk)                                                                                 \
  X(H5Dget_space)                                                                                  \
  X(H5Dget_chunk_storage_size)                                                                     \
  X(H5Dset_extent)                                                                                 \
  X(H5Dclose)

/* Its constants, which are variables: known once H5open was called. */
#define BRINK_HDF5_IDS(X)                                                                          \
  X(H5T_NATIVE_INT8_g)                                                                             \
  X(H5T_NATIVE_INT32_g)                                                                            \
  X(H5T_NATIVE_INT64_g)                                                                            \
  X(H5T_NATIVE_DOUBLE_g)                                                                           \
  X(H5T_C_S1_g)                                                                                    \
  X(H5P_CLS_FILE_CREATE_ID_g)                                                                      \
  X(H5P_CLS_FILE_ACCESS_ID_g)                                                                      \
  X(H5P_CLS_DATASET_CREATE_ID_g)                                                                   \
  X(H5P_CLS_DATASET_ACCESS_ID_g)                                                                   \
  X(H5P_CLS_GROUP_CREATE_ID_g)

typedef struct brink_hdf5_library {
#define MEMBER(name) __typeof__(name) *name;
  BRINK_HDF5_FUNCTIONS(MEMBER)
#undef MEMBER
#define MEMBER(name) hid_t name;
  BRINK_HDF5_IDS(MEMBER)
#undef MEMBER
} brink_hdf5_library;

/* H5F_ACC_TRUNC without the calls that the macro makes. */
#define BRINK_HDF5_TRUNCATE 0x0002u
/* H5F_ACC_RDWR, likewise. */
#define BRINK_HDF5_CHANGE 0x0001u

/* The library does not survive it if it gets no memory. So it is asked for nothing unless there is plenty
 * (brink_hdf5_has_memory), and what it needs to close a file is set aside while the file is open: `spend` gives it
 * back before that. NULL: there is not that much. None of it is touched: it costs addresses, not memory. */
bool brink_hdf5_has_memory(void);
void *brink_hdf5_reserve(void);
void brink_hdf5_spend(void **reserve);

/* False: `diag` says what is missing. Once loaded it stays, so there is nothing to undo. */
bool brink_hdf5_load(brink_hdf5_library *library, brink_diag *diag);

#endif
