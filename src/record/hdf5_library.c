/* hdf5_library.c: the HDF5 library, loaded when it is needed. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "record/hdf5_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "record/results.h"

#define PACKAGE "libhdf5-103-1"

/* Plenty: a run of a small model with an .h5 file takes about 13 MB of addresses more than one without; the first nodes
 * of the indices of a file with many columns take up to 8 MB (hdf5.c). */
#define RESERVE ((size_t)24 << 20)

typedef struct symbol {
  const char *name;
  size_t place; /* in the library */
} symbol;

static const symbol functions[] = {
#define SYMBOL(name) {#name, offsetof(brink_hdf5_library, name)},
    BRINK_HDF5_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

static const symbol ids[] = {
#define SYMBOL(name) {#name, offsetof(brink_hdf5_library, name)},
    BRINK_HDF5_IDS(SYMBOL)
#undef SYMBOL
};

static bool missing(brink_diag *diag, const char *what) {
  brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                 "HDF5 cannot be used: %s. Install it (Debian package " PACKAGE
                 "), or write a .mat or .csv file",
                 what);
  return false;
}

void *brink_hdf5_reserve(void) {
  void *room = mmap(NULL, RESERVE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room != MAP_FAILED ? room : NULL;
}

void brink_hdf5_spend(void **reserve) {
  if (*reserve != NULL) munmap(*reserve, RESERVE);
  *reserve = NULL;
}

bool brink_hdf5_has_memory(void) {
  void *reserve = brink_hdf5_reserve();
  bool has = reserve != NULL;
  brink_hdf5_spend(&reserve);
  return has;
}

/* NULL: `why` is what was wrong with the first name. */
static void *open_library(char *why, size_t size) {
  void *handle = dlopen(BRINK_HDF5_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (handle != NULL) return handle;
  const char *words = dlerror();
  snprintf(why, size, "%s", words != NULL ? words : "it cannot be loaded");
  return dlopen("libhdf5.so.103", RTLD_NOW | RTLD_LOCAL);
}

static bool load_functions(brink_hdf5_library *library, void *handle, brink_diag *diag) {
  for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
    void *found = dlsym(handle, functions[k].name);
    if (found == NULL) return missing(diag, dlerror());
    memcpy((char *)library + functions[k].place, &found, sizeof found);
  }
  return true;
}

static bool load_ids(brink_hdf5_library *library, void *handle, brink_diag *diag) {
  for (size_t k = 0; k < sizeof ids / sizeof ids[0]; k++) {
    const hid_t *found = dlsym(handle, ids[k].name);
    if (found == NULL) return missing(diag, dlerror());
    memcpy((char *)library + ids[k].place, found, sizeof *found);
  }
  return true;
}

/* Structures that the headers describe may change with the second number. */
static bool fits(const brink_hdf5_library *library, brink_diag *diag) {
  unsigned major = 0, minor = 0, release = 0;
  char what[80];
  if (library->H5get_libversion(&major, &minor, &release) >= 0 && major == H5_VERS_MAJOR &&
      minor == H5_VERS_MINOR)
    return true;
  snprintf(what, sizeof what, "it has version %u.%u.%u, and %d.%d is needed", major, minor, release,
           H5_VERS_MAJOR, H5_VERS_MINOR);
  return missing(diag, what);
}

bool brink_hdf5_load(brink_hdf5_library *library, brink_diag *diag) {
  *library = (brink_hdf5_library){0};
  if (!brink_hdf5_has_memory()) {
    brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the HDF5 library");
    return false;
  }
  char why[256];
  void *handle = open_library(why, sizeof why);
  if (handle == NULL) return missing(diag, why);
  if (!load_functions(library, handle, diag)) return false;
  library->H5dont_atexit(); /* before all other calls; every file is closed by then */
  if (!fits(library, diag)) return false;
  if (library->H5open() < 0) return missing(diag, "it does not start");
  library->H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* failures are told, not printed */
  return load_ids(library, handle, diag);
}

bool brink_hdf5_available(char *version, size_t size) {
  brink_hdf5_library library;
  unsigned major, minor, release;
  if (!brink_hdf5_load(&library, NULL)) return false;
  library.H5get_libversion(&major, &minor, &release);
  snprintf(version, size, "%u.%u.%u", major, minor, release);
  return true;
}
