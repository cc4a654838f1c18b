/* external.c: libraries that a model's external functions and constants are in.
 *
 * A library is code that can do whatever its user can. So one is loaded only if the caller allows it, and only from where
 * the caller or the model's own directory says: a name with a slash is a path, relative to the file that
 * names it; another one, "lib", is looked for as liblib.so, lib.so and lib in that directory, in the caller's
 * directories, and then by the system's loader. What is loaded stays until the unit is destroyed. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "lang/flat.h"

struct brink_library {
  const char *name; /* as asked for, with the directory of the file */
  const char *path; /* the file, where it was found by us; else NULL */
  void *handle;
  struct brink_library *next;
};

void brink_unit_close_libraries(brink_unit *unit) {
  for (struct brink_library *l = unit->libraries; l != NULL; l = l->next) dlclose(l->handle);
  unit->libraries = NULL;
}

const char *brink_unit_library(const brink_unit *unit, size_t k) {
  const struct brink_library *l = unit->libraries;
  while (l != NULL && (l->path == NULL || k-- > 0)) l = l->next;
  return l != NULL ? l->path : NULL;
}

size_t brink_unit_library_count(const brink_unit *unit) {
  size_t count = 0;
  while (brink_unit_library(unit, count) != NULL) count++;
  return count;
}

/* ---- finding ---- */

static const char *directory_of(brink_unit *unit, brink_place place) {
  const char *from = unit->files[place.file].path, *slash = strrchr(from, '/');
  if (slash == NULL) return "./";
  return brink_unit_format(unit, "%.*s", (int)(slash - from) + 1, from);
}

/* Opening a pipe would wait for its writer. */
static bool is_there(const char *path) {
  const char *reason;
  bool missing;
  return brink_file_is_regular(path, &reason, &missing);
}

/* The loader looks in its own directories for names without a slash. */
static const char *in_directory(brink_unit *unit, const char *directory, const char *name) {
  size_t length = strlen(directory);
  const char *slash = length > 0 && directory[length - 1] != '/' ? "/" : "";
  for (int k = 0; k < 3; k++) {
    const char *path = k == 0   ? brink_unit_format(unit, "%s%slib%s.so", directory, slash, name)
                       : k == 1 ? brink_unit_format(unit, "%s%s%s.so", directory, slash, name)
                                : brink_unit_format(unit, "%s%s%s", directory, slash, name);
    if (is_there(path)) return path;
  }
  return NULL;
}

static const char *find_path(flat *f, const char *directory, const char *name) {
  if (strchr(name, '/') != NULL)
    return name[0] == '/' ? name : brink_unit_format(f->unit, "%s%s", directory, name);
  const char *path = in_directory(f->unit, directory, name);
  for (size_t k = 0; path == NULL && k < f->options->nlibrary_paths; k++)
    path = in_directory(f->unit, f->options->library_paths[k], name);
  return path;
}

/* By its path, or by the system's loader; NULL: *reason says why. */
static void *open_library(flat *f, const char *directory, const char *name, const char **found,
                          const char **reason) {
  const char *path = find_path(f, directory, name);
  if (path != NULL && path[0] != '/' && strncmp(path, "./", 2) != 0)
    path = brink_unit_format(f->unit, "./%s", path);
  *found = path;
  bool missing = true;
  if (path != NULL && !brink_file_is_regular(path, reason, &missing) && !missing) return NULL;
  void *handle = dlopen(path != NULL ? path : brink_unit_format(f->unit, "lib%s.so", name),
                        RTLD_NOW | RTLD_LOCAL);
  const char *error = handle == NULL ? dlerror() : NULL;
  *reason = error != NULL ? brink_unit_format(f->unit, "%s", error) : "it cannot be loaded";
  if (handle == NULL && path == NULL) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return handle;
}

static void *library(flat *f, const brink_ast_external *external) {
  brink_unit *unit = f->unit;
  const char *directory = directory_of(unit, external->library_place), *reason = NULL;
  const char *name = brink_unit_format(unit, "%s%s", directory, external->library);
  for (struct brink_library *l = unit->libraries; l != NULL; l = l->next)
    if (strcmp(l->name, name) == 0) return l->handle;
  struct brink_library *made = brink_unit_take(unit, 1, sizeof *made);
  if (made == NULL || unit->out_of_memory) {
    flat_out_of_memory(f);
    return NULL;
  }
  const char *path = NULL;
  void *handle = open_library(f, directory, external->library, &path, &reason);
  if (handle == NULL) {
    flat_error(f, BRINK_MSG_EXTERNAL_LIBRARY, external->library_place,
               "it is looked for beside the model, in the directories of --library-path, and "
               "where the system has its libraries",
               "cannot load the library '%s': %s", external->library, reason);
    return NULL;
  }
  *made =
      (struct brink_library){.name = name, .path = path, .handle = handle, .next = unit->libraries};
  unit->libraries = made;
  return handle;
}

/* ---- symbols ---- */

static void *symbol(flat *f, void *handle, const brink_ast_external *external, const char *name,
                    brink_place place) {
  void *address = dlsym(handle, name);
  if (address == NULL)
    flat_error(f, BRINK_MSG_EXTERNAL_SYMBOL, place,
               "is it spelt so in C, not static, and, in C++, extern \"C\"?",
               "the library '%s' has no '%s'", external->library, name);
  return address;
}

/* Objects are no functions in C; POSIX says that this works. */
static brink_external_fn *function_at(void *address) {
  brink_external_fn *function;
  memcpy(&function, &address, sizeof function);
  return function;
}

static bool read_constant(flat *f, const brink_user_function *function, brink_ast_external *e,
                          const void *address) {
  memcpy(&e->value, address, sizeof e->value);
  if (isfinite(e->value)) return true;
  flat_error(f, BRINK_MSG_EXTERNAL_NOT_FINITE, e->symbol_place, "it must be a double",
             "the constant '%s' of the library '%s' is not a finite number", function->name,
             e->library);
  return false;
}

static bool refuse(flat *f, const brink_user_function *function) {
  flat_error(f, BRINK_MSG_EXTERNAL_REFUSED, function->external->library_place,
             "--allow-external loads it; such code can do whatever you can, so allow it only where "
             "you trust the model and the library",
             "'%s' is in the library '%s', which was not allowed to be loaded", function->name,
             function->external->library);
  return false;
}

bool flat_load_external(flat *f, const brink_user_function *function) {
  brink_ast_external *e = function->external;
  if (e->loaded) return true;
  if (!f->options->allow_external) return refuse(f, function);
  void *handle = library(f, e);
  void *address = handle != NULL ? symbol(f, handle, e, e->symbol, e->symbol_place) : NULL;
  if (address == NULL) return false;
  if (e->is_constant) {
    e->loaded = read_constant(f, function, e, address);
    return e->loaded;
  }
  e->function = (brink_external){
      .name = function->name, .narguments = function->narguments, .value = function_at(address)};
  if (e->derivative != NULL) {
    address = symbol(f, handle, e, e->derivative, e->derivative_place);
    if (address == NULL) return false;
    e->function.gradient = function_at(address);
  }
  e->loaded = true;
  return true;
}
