/* check_extends.c: what is wrong with the components that others extend. The parser has followed them
 * (parse_extends.c); what is inherited is checked like a component's own. */
#include "lang/check.h"

static void report_unknown(brink_checker *c, const brink_component *component) {
  bool damaged = false; /* perhaps in its name */
  const char *nearest = brink_check_nearest_component(c, component->base_name, &damaged);
  if (c->components_uncertain || (nearest != NULL && damaged)) return;
  const char *hint = brink_check_import_hint(c, component->base_name, component->base_place);
  brink_check_error(c, BRINK_MSG_UNKNOWN_COMPONENT, component->base_place,
                    hint != NULL ? hint : brink_check_did_you_mean(c, nearest),
                    "there is no component '%s'", component->base_name);
}

/* "A > B > A" */
static const char *circle_text(brink_checker *c, const brink_component *component) {
  enum { SHOWN = 8 };
  const char *text = component->name;
  const brink_component *at = component->base;
  for (int k = 0; at != NULL && at != component && k < SHOWN; k++, at = at->base)
    text = brink_unit_format(c->unit, "%s > %s", text, at->name);
  return brink_unit_format(c->unit, "%s > %s", text, at == component ? at->name : "...");
}

static void check_base(brink_checker *c, const brink_component *component) {
  const brink_component *base = component->base;
  switch (component->base_fault) {
  case BRINK_BASE_UNKNOWN:
    report_unknown(c, component);
    return;
  case BRINK_BASE_KIND:
    brink_check_error(c, BRINK_MSG_EXTENDS_ANOTHER_KIND, component->base_place,
                      "a component extends one of its own kind", "'%s' is %s, but '%s' is %s",
                      component->name, brink_a_component(component->kind), base->name,
                      brink_a_component(base->kind));
    return;
  case BRINK_BASE_ITSELF:
    brink_check_error(c, BRINK_MSG_EXTENDS_ITSELF, component->base_place, circle_text(c, component),
                      "'%s' extends itself", component->name);
    return;
  case BRINK_BASE_TOO_DEEP:
    brink_check_error(c, BRINK_MSG_EXTENDS_TOO_DEEP, component->base_place, NULL,
                      "components extend one another more than 100 deep");
    return;
  case BRINK_BASE_FINE:
  case BRINK_BASE_FAULT:
    return;
  }
}

void brink_check_bases(brink_checker *c) {
  for (brink_component *k = c->unit->components; k != NULL; k = k->next) {
    c->component = k;
    if (k->base_name != NULL) check_base(c, k);
  }
}
