/* flat_named.c: which settings name a variable, and which variables a setting names, without asking each of the one about
 * each of the other. Both have a path without indices ("car[3].x" is a car.x); those with equal paths, found by their
 * hashes, are few, and then read with care (flat_parameter.c). */
#include <stdlib.h>
#include <string.h>

#include "lang/flat.h"

/* FNV-1a */
static uint64_t add_text(uint64_t hash, const char *text, size_t length) {
  for (size_t k = 0; k < length; k++) hash = (hash ^ (unsigned char)text[k]) * 0x100000001b3u;
  return hash;
}

static uint64_t hash_group(const flat_group *group) {
  if (group->parent == NULL) return 0xcbf29ce484222325u;
  uint64_t hash = hash_group(group->parent);
  if (group->symbol == NULL) return hash; /* a pair block goes by the system's name */
  return add_text(add_text(hash, group->symbol->name, strlen(group->symbol->name)), ".", 1);
}

static uint64_t hash_variable(const flat_variable *variable) {
  const char *name = variable->symbol->name;
  return add_text(hash_group(variable->group), name, strlen(name));
}

static uint64_t hash_set(const char *set) {
  uint64_t hash = 0xcbf29ce484222325u;
  bool inside = false;
  for (; *set != '\0' && *set != '='; set++) {
    if (*set == '[') inside = true;
    if (!inside) hash = add_text(hash, set, 1);
    if (*set == ']') inside = false;
  }
  return hash;
}

static int by_hash(const void *a, const void *b) {
  const flat_named *one = a, *other = b;
  if (one->hash != other->hash) return one->hash < other->hash ? -1 : 1;
  return one->number < other->number ? -1 : one->number > other->number;
}

static const flat_named *first_of(const flat_named *list, size_t count, uint64_t hash) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list[middle].hash < hash)
      low = middle + 1;
    else
      high = middle;
  }
  return list + low;
}

/* The sorted list of settings is that of f->sets as they are now. */
static bool index_sets(flat *f) {
  if (f->named_sets != NULL && f->indexed_sets == f->sets && f->nindexed_sets == f->nsets)
    return true;
  f->named_sets = brink_arena_pack(&f->scratch, f->nsets, sizeof *f->named_sets);
  if (f->named_sets == NULL) {
    flat_out_of_memory(f);
    return false;
  }
  for (size_t k = 0; k < f->nsets; k++)
    f->named_sets[k] = (flat_named){.hash = hash_set(f->sets[k]), .number = k};
  qsort(f->named_sets, f->nsets, sizeof *f->named_sets, by_hash);
  f->indexed_sets = f->sets;
  f->nindexed_sets = f->nsets;
  return true;
}

flat_names flat_sets_of(flat *f, const flat_variable *variable) {
  flat_names names = {.hash = hash_variable(variable)};
  if (f->nsets == 0 || !index_sets(f)) return names;
  names.next = first_of(f->named_sets, f->nsets, names.hash);
  names.end = f->named_sets + f->nsets;
  return names;
}

flat_names flat_variables_of(flat *f, const char *set) {
  flat_names names = {.hash = hash_set(set)};
  if (f->named_variables == NULL || f->nnamed != f->nvariables) {
    f->named_variables = brink_arena_pack(&f->scratch, f->nvariables, sizeof *f->named_variables);
    if (f->named_variables == NULL) {
      flat_out_of_memory(f);
      return names;
    }
    f->nnamed = f->nvariables;
    for (size_t k = 0; k < f->nnamed; k++)
      f->named_variables[k] = (flat_named){.hash = hash_variable(f->variables[k]), .number = k};
    if (f->nnamed > 0) qsort(f->named_variables, f->nnamed, sizeof *f->named_variables, by_hash);
  }
  names.next = first_of(f->named_variables, f->nnamed, names.hash);
  names.end = f->named_variables + f->nnamed;
  return names;
}

bool flat_next_named(flat_names *names, size_t *number) {
  if (names->next == names->end || names->next->hash != names->hash) return false;
  *number = names->next++->number;
  return true;
}
