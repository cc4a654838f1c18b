/* names.c: the names of instances, variables, flags: "row[2].cell[5].v[1]". Indices start at 1. */
#include "expr/system.h"

#include <string.h>

static void add(brink_text *text, const char *part) {
  brink_text_append(text, part, strlen(part));
}

void brink_system_instance_name(const brink_system *system, uint32_t group, size_t instance,
                                brink_text *text) {
  const brink_group *g = &system->groups[group];
  size_t below = 1; /* instances of one element of the present segment */
  for (size_t s = 0; s < g->nsegments; s++)
    if (g->dimension[s] > 0) below *= g->dimension[s];
  add(text, "");
  for (size_t s = 0; s < g->nsegments; s++) {
    if (s > 0) add(text, ".");
    add(text, g->segment[s]);
    if (g->dimension[s] == 0) continue;
    below /= g->dimension[s];
    brink_text_add(text, "[%zu]", instance / below % g->dimension[s] + 1);
  }
}

/* The path of an instance, and the point that joins it to a name. */
static void add_path(const brink_system *system, uint32_t group, size_t instance,
                     brink_text *text) {
  brink_system_instance_name(system, group, instance, text);
  if (system->groups[group].nsegments > 0) add(text, ".");
}

void brink_system_variable_name(const brink_system *system, uint32_t variable, size_t element,
                                brink_text *text) {
  brink_variable_name(system, &system->variables[variable], element, text);
}

void brink_variable_name(const brink_system *system, const brink_variable *v, size_t element,
                         brink_text *text) {
  size_t length = v->length > 0 ? v->length : 1;
  add_path(system, v->group, element / length, text);
  add(text, v->name);
  size_t k = element % length;
  if (v->columns > 0)
    brink_text_add(text, "[%zu,%zu]", k / v->columns + 1, k % v->columns + 1);
  else if (v->vector || length > 1)
    brink_text_add(text, "[%zu]", k + 1);
}

/* Flags of loops and vectors have an index: "plant.full[2]", "plant@12:7[3]". */
void brink_system_flag_name(const brink_system *system, uint32_t flag, size_t instance,
                            brink_text *text) {
  const brink_flag *f = &system->flags[flag];
  size_t each = f->per_instance > 0 ? f->per_instance : 1;
  if (f->kind == BRINK_FLAG_RANGE) {
    brink_system_variable_name(system, f->variable, instance, text);
    add(text, f->upper ? "@upper" : "@lower");
    return;
  }
  if (f->name[0] == '@') /* made by the compiler */
    brink_system_instance_name(system, f->group, instance / each, text);
  else
    add_path(system, f->group, instance / each, text);
  add(text, f->name);
  if (f->element != NULL)
    brink_text_add(text, "[%u]", f->element[instance % each] + 1);
  else if (each > 1 && !f->is_pair)
    brink_text_add(text, "[%zu]", instance % each + 1);
}

void brink_system_flag_label(const brink_system *system, uint32_t flag, size_t instance,
                             brink_text *text) {
  const char *written = system->flags[flag].text;
  if (written != NULL) brink_text_add(text, "%s (", written);
  brink_system_flag_name(system, flag, instance, text);
  if (written != NULL) add(text, ")");
}
