/* emit_names.c: names for the reader of generated code: "plant.h" becomes plant_h, its derivative
 * der_plant_h. Without comments there are none of these, and locals are called a3 and r12. */
#include "native/emit.h"

#include <stdlib.h>
#include <string.h>

/* ---- from slots to variables ---- */

static int compare_places(const void *left, const void *right) {
  const emit_place *a = left, *b = right;
  if (a->space != b->space) return a->space < b->space ? -1 : 1;
  if (a->base != b->base) return a->base < b->base ? -1 : 1;
  return a->variable < b->variable ? -1 : a->variable > b->variable;
}

static bool make_places(emitter *e) {
  const brink_system *s = e->system;
  e->places = brink_arena_take(&e->work, s->nvariables, sizeof *e->places);
  if (e->places == NULL) return false;
  for (size_t v = 0; v < s->nvariables; v++) {
    const brink_variable *variable = &s->variables[v];
    size_t count = s->groups[variable->group].count * variable->length;
    if (count > 0)
      e->places[e->nplaces++] = (emit_place){.space = variable->space,
                                             .base = variable->base,
                                             .length = (uint32_t)count,
                                             .variable = (uint32_t)v};
  }
  qsort(e->places, e->nplaces, sizeof *e->places, compare_places);
  return true;
}

static bool make_guards(emitter *e) {
  const brink_system *s = e->system;
  e->guard_flag = brink_arena_take(&e->work, s->nguards, sizeof *e->guard_flag);
  e->guard_instance = brink_arena_take(&e->work, s->nguards, sizeof *e->guard_instance);
  if (e->work.failed) return false;
  for (size_t g = 0; g < s->nguards; g++) e->guard_flag[g] = BRINK_NO_INDEX;
  for (size_t f = 0; f < s->nflags; f++) {
    const brink_flag *flag = &s->flags[f];
    for (size_t i = 0; flag->guard != NULL && i < flag->count; i++) {
      if (flag->guard[i] >= s->nguards) continue;
      e->guard_flag[flag->guard[i]] = (uint32_t)f;
      e->guard_instance[flag->guard[i]] = (uint32_t)i;
    }
  }
  return true;
}

bool emit_names_make(emitter *e) {
  return make_places(e) && make_guards(e);
}

/* The last place that starts at or before the slot. */
static const emit_place *find_place(const emitter *e, uint32_t space, size_t slot) {
  size_t lo = 0, hi = e->nplaces;
  while (lo < hi) {
    size_t middle = lo + (hi - lo) / 2;
    const emit_place *place = &e->places[middle];
    if (place->space < space || (place->space == space && place->base <= slot))
      lo = middle + 1;
    else
      hi = middle;
  }
  if (lo == 0) return NULL;
  const emit_place *place = &e->places[lo - 1];
  return place->space == space && slot - place->base < place->length ? place : NULL;
}

/* ---- from variables to texts ---- */

static void put(brink_text *text, const char *part) {
  brink_text_append(text, part, strlen(part));
}

static void path_without_indices(const brink_system *system, uint32_t group, brink_text *text) {
  const brink_group *g = &system->groups[group];
  for (size_t s = 0; s < g->nsegments; s++) brink_text_add(text, "%s.", g->segment[s]);
}

static void variable_name(emitter *e, uint32_t space, size_t slot, bool loop, brink_text *text) {
  const emit_place *place = find_place(e, space, slot);
  if (place == NULL) {
    static const char *const spaces[] = {"x", "p", "mode", "sgn", "v", "dx", "k"};
    brink_text_add(text, "%s[%zu]", spaces[space], slot);
  } else if (loop) {
    const brink_variable *variable = &e->system->variables[place->variable];
    path_without_indices(e->system, variable->group, text);
    put(text, variable->name);
    if (variable->vector || variable->length > 1)
      brink_text_add(text, "[%zu]", (slot - place->base) % variable->length + 1);
  } else {
    brink_system_variable_name(e->system, place->variable, slot - place->base, text);
  }
}

static void flag_name(emitter *e, size_t guard, bool loop, brink_text *text) {
  if (guard >= e->system->nguards || e->guard_flag[guard] == BRINK_NO_INDEX) {
    brink_text_add(text, "%zu", guard);
  } else if (loop) {
    const brink_flag *flag = &e->system->flags[e->guard_flag[guard]];
    path_without_indices(e->system, flag->group, text);
    put(text, flag->name == NULL ? "" : flag->name);
  } else {
    brink_system_flag_name(e->system, e->guard_flag[guard], e->guard_instance[guard], text);
  }
}

void emit_slot_name(emitter *e, const brink_ref *ref, size_t count, brink_text *text) {
  bool loop = count != 1;
  size_t slot = ref->map != NULL && count == 0 ? 0 : brink_ref_slot(ref, 0);
  switch (ref->space) {
  case BRINK_SPACE_DX:
    variable_name(e, BRINK_SPACE_X, slot, loop, text);
    put(text, "'");
    break;
  case BRINK_SPACE_SIGN:
    put(text, "sgn(");
    flag_name(e, slot, loop, text);
    put(text, ")");
    break;
  case BRINK_SPACE_PRE_X:
  case BRINK_SPACE_PRE_P:
  case BRINK_SPACE_PRE_MODE:
    put(text, "pre(");
    variable_name(e,
                  ref->space == BRINK_SPACE_PRE_X   ? BRINK_SPACE_X
                  : ref->space == BRINK_SPACE_PRE_P ? BRINK_SPACE_P
                                                    : BRINK_SPACE_MODE,
                  slot, loop, text);
    put(text, ")");
    break;
  case BRINK_SPACE_K:
    put(text, "constant");
    break;
  case BRINK_SPACE_OUT:
    put(text, "result");
    break;
  case BRINK_SPACE_LOCAL:
    put(text, "local");
    break;
  default:
    variable_name(e, ref->space, slot, loop, text);
  }
}

void emit_comment_text(brink_text *text, const char *comment) {
  for (const char *c = comment; *c != '\0'; c++) {
    bool ends = c[0] == '*' && c[1] == '/';
    brink_text_append(text, *c == '\n' ? " " : c, 1);
    if (ends) brink_text_append(text, " ", 1);
  }
}

/* ---- names of locals ---- */

/* What C, C++ or the generated code uses already; words of C++ without an underscore are evaded in any case. Names of a letter and digits (a3, r12, k1) are ours,
 * too. */
static const char *const taken[] = {"T",
                                    "acos",
                                    "alignas",
                                    "alignof",
                                    "and_eq",
                                    "asin",
                                    "asm",
                                    "atan",
                                    "atan2",
                                    "auto",
                                    "bool",
                                    "break",
                                    "case",
                                    "char",
                                    "char16_t",
                                    "char32_t",
                                    "char8_t",
                                    "co_await",
                                    "co_return",
                                    "co_yield",
                                    "const",
                                    "const_cast",
                                    "constexpr",
                                    "continue",
                                    "cos",
                                    "cosh",
                                    "count",
                                    "default",
                                    "do",
                                    "double",
                                    "dx",
                                    "dynamic_cast",
                                    "else",
                                    "enum",
                                    "exp",
                                    "extern",
                                    "f",
                                    "fabs",
                                    "false",
                                    "first",
                                    "float",
                                    "floor",
                                    "for",
                                    "frame",
                                    "goto",
                                    "hypot",
                                    "i",
                                    "if",
                                    "inline",
                                    "int",
                                    "jet_fn",
                                    "jets",
                                    "k",
                                    "kernel_fn",
                                    "local",
                                    "log",
                                    "log10",
                                    "long",
                                    "maximum",
                                    "minimum",
                                    "mode",
                                    "not_eq",
                                    "nullptr",
                                    "or_eq",
                                    "out",
                                    "p",
                                    "place",
                                    "pow",
                                    "pre_mode",
                                    "pre_p",
                                    "pre_x",
                                    "program_fn",
                                    "register",
                                    "reinterpret_cast",
                                    "restrict",
                                    "return",
                                    "sgn",
                                    "short",
                                    "sign",
                                    "signed",
                                    "sin",
                                    "sincos",
                                    "sinh",
                                    "size",
                                    "sizeof",
                                    "sqrt",
                                    "static",
                                    "static_assert",
                                    "static_cast",
                                    "struct",
                                    "switch",
                                    "t",
                                    "tables",
                                    "tan",
                                    "tanh",
                                    "thread_local",
                                    "to_mode",
                                    "to_p",
                                    "to_x",
                                    "true",
                                    "typedef",
                                    "typeof",
                                    "typeof_unqual",
                                    "u32",
                                    "u64",
                                    "union",
                                    "unsigned",
                                    "v",
                                    "void",
                                    "volatile",
                                    "w",
                                    "wchar_t",
                                    "while",
                                    "whole",
                                    "x",
                                    "xor_eq"};

static int compare_names(const void *key, const void *entry) {
  return strcmp(key, *(const char *const *)entry);
}

static bool is_taken(const char *name) {
  size_t count = sizeof taken / sizeof *taken;
  if (bsearch(name, taken, count, sizeof *taken, compare_names) != NULL) return true;
  return name[0] != '\0' && name[1] != '\0' && strspn(name + 1, "0123456789") == strlen(name + 1);
}

/* A word alone may be a macro of this or that compiler: linux, unix, i386, sun. */
static bool may_be_macro(const char *name) {
  return name[0] != '\0' && name[1] != '\0' && strchr(name, '_') == NULL;
}

static void put_before(brink_text *text, const char *part) {
  size_t length = text->length, more = strlen(part);
  brink_text_append(text, part, more); /* room for it */
  if (text->failed) return;
  memmove(text->data + more, text->data, length);
  memcpy(text->data, part, more);
}

/* Letters and digits stay, what stands between them becomes one underscore. */
static void to_identifier(brink_text *text, size_t from) {
  size_t to = from;
  bool gap = false;
  for (size_t k = from; k < text->length; k++) {
    char c = text->data[k];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool digit = c >= '0' && c <= '9';
    if (!letter && !digit) {
      gap = true;
      continue;
    }
    if (gap && to > from) text->data[to++] = '_';
    gap = false;
    text->data[to++] = c;
  }
  if (text->data == NULL) return;
  text->data[to] = '\0';
  text->length = to;
}

/* Names given in this kernel: open addressing, at most half full. */
typedef struct name_set {
  const char **names;
  size_t size; /* a power of two */
} name_set;

static bool enter(name_set *set, const char *name) {
  size_t hash = 14695981039346656037u;
  for (const char *c = name; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  size_t k = hash & (set->size - 1);
  for (; set->names[k] != NULL; k = (k + 1) & (set->size - 1)) {
    if (strcmp(set->names[k], name) == 0) return false;
  }
  set->names[k] = name;
  return true;
}

/* The text as a name that no other local has: h, h_2, h_3, … */
static const char *own_name(emitter *e, name_set *set, brink_text *text) {
  if (text->length == 0 || (text->data[0] >= '0' && text->data[0] <= '9'))
    put_before(text, "value_");
  if (text->failed) return NULL;
  if (is_taken(text->data) || may_be_macro(text->data)) brink_text_add(text, "_");
  size_t length = text->length;
  for (unsigned number = 2;; number++) {
    const char *name = text->failed ? NULL : brink_arena_text(&e->work, text->data);
    if (name == NULL || enter(set, name)) return name;
    text->length = length;
    brink_text_add(text, "_%u", number);
  }
}

static void name_node(emitter *e, emit_plan *p, name_set *set, brink_node node, const char *prefix,
                      const brink_ref *ref, brink_text *text) {
  text->length = 0;
  if (text->data != NULL) text->data[0] = '\0';
  put(text, prefix);
  emit_slot_name(e, ref, p->kernel->count, text);
  to_identifier(text, 0);
  p->name[node] = own_name(e, set, text);
  if (p->name[node] == NULL) e->failed = true;
}

/* Refs first: they are what the author knows best. */
void emit_names_of_kernel(emitter *e, emit_plan *p) {
  size_t needed = p->nnodes + p->kernel->noutputs;
  name_set set = {.size = 16};
  while (set.size < 2 * needed) set.size *= 2;
  set.names = brink_arena_take(&e->work, set.size, sizeof *set.names);
  p->name = brink_arena_take(&e->work, p->nnodes, sizeof *p->name);
  if (e->work.failed) {
    e->failed = true;
    return;
  }
  brink_text text = {.allocator = e->work.allocator};
  for (size_t i = 0; i < p->nnodes; i++) {
    if (p->kind[i] == EMIT_REF)
      name_node(e, p, &set, (brink_node)i, "", &p->kernel->graph.refs[p->nodes[i].a], &text);
  }
  for (size_t j = 0; j < p->kernel->noutputs; j++) {
    const brink_output *output = &p->kernel->outputs[j];
    if (p->kind[output->node] != EMIT_LOCAL || p->name[output->node] != NULL) continue;
    bool derivative = output->target.space == BRINK_SPACE_DX;
    name_node(e, p, &set, output->node, derivative ? "der_" : "new_", &output->target, &text);
  }
  if (text.failed) e->failed = true;
  brink_text_free(&text);
}
