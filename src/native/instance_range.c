/* instance_range.c: values outside their ranges, in words (see instance.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "native/instance.h"

/* ---- names without memory ---- */

static void *no_memory(size_t size, void *user) {
  (void)size, (void)user;
  return NULL;
}

static void keep(void *memory, size_t size, void *user) {
  (void)memory, (void)size, (void)user;
}

/* A text that lives in the buffer and cannot grow beyond it. */
static brink_text text_in(char *buffer, size_t size) {
  buffer[0] = '\0';
  return (brink_text){
      .allocator = {.allocate = no_memory, .release = keep}, .data = buffer, .capacity = size};
}

const char *brink_instance_variable_name(const brink_instance *instance, uint32_t variable,
                                         size_t element, char buffer[BRINK_NAME]) {
  brink_text text = text_in(buffer, BRINK_NAME);
  brink_system_variable_name(instance->system, variable, element, &text);
  return buffer;
}

const char *brink_instance_rule_name(const brink_instance *instance, size_t rule, size_t index,
                                     char buffer[BRINK_NAME]) {
  const brink_rule *named = &instance->system->rules[rule];
  brink_text text = text_in(buffer, BRINK_NAME);
  brink_system_instance_name(instance->system, named->group, index, &text);
  brink_text_add(&text, "%s%s", text.length > 0 ? "." : "", named->name);
  return buffer;
}

/* ---- values ---- */

static const char *value_text(const brink_instance *instance, const brink_variable *variable,
                              double value, char *buffer, size_t size) {
  const brink_system *system = instance->system;
  bool whole = value >= 0.0 && value < (double)system->nstrings && value == floor(value);
  if (variable->type == BRINK_VALUE_STRING && whole)
    snprintf(buffer, size, "\"%s\"", system->strings[(size_t)value]);
  else if (variable->type == BRINK_VALUE_BOOLEAN)
    snprintf(buffer, size, "%s", value != 0.0 ? "true" : "false");
  else
    snprintf(buffer, size, "%.10g", isnan(value) ? (double)NAN : value); /* no -nan */
  return buffer;
}

static void add_set(const brink_instance *instance, const brink_variable *variable,
                    brink_text *text) {
  char buffer[BRINK_NAME];
  brink_text_add(text, "{");
  for (size_t k = 0; k < variable->nset; k++)
    brink_text_add(text, "%s%s", k > 0 ? ", " : "",
                   value_text(instance, variable, variable->set[k], buffer, sizeof buffer));
  brink_text_add(text, "}");
}

/* The range of one element. */
static void bounds_of(const brink_variable *variable, size_t element, double *lo, double *hi) {
  size_t instance = variable->length > 0 ? element / variable->length : 0;
  *lo = variable->bounds != NULL ? variable->bounds[2 * instance] : variable->lo;
  *hi = variable->bounds != NULL ? variable->bounds[2 * instance + 1] : variable->hi;
}

/* "h = 12 at t = 3 is outside its range (0, 10)". Ten digits are enough to read, unless they hide
 * what is wrong. */
static void describe(const brink_instance *instance, uint32_t index, size_t element, double value,
                     double t, char *buffer, size_t size) {
  const brink_variable *variable = &instance->system->variables[index];
  char name[BRINK_NAME], shown[BRINK_NAME], lo[BRINK_DOUBLE_TEXT], hi[BRINK_DOUBLE_TEXT];
  double least, most;
  bounds_of(variable, element, &least, &most);
  brink_text text = text_in(buffer, size);
  value_text(instance, variable, value, shown, sizeof shown);
  if (variable->type == BRINK_VALUE_INTEGER && isfinite(value))
    snprintf(shown, sizeof shown, "%.0f", value);
  else if (variable->has_range && (strcmp(shown, brink_double_text(least, lo)) == 0 ||
                                   strcmp(shown, brink_double_text(most, hi)) == 0))
    snprintf(shown, sizeof shown, "%.17g", value);
  brink_text_add(&text, "%s = %s at t = %.10g is ",
                 brink_instance_variable_name(instance, index, element, name), shown, t);
  if (variable->set != NULL) {
    brink_text_add(&text, "not in its set ");
    add_set(instance, variable, &text);
  } else {
    brink_text_add(&text, "outside its range (%s, %s)", brink_double_text(least, lo),
                   brink_double_text(most, hi));
  }
}

/* Reals are allowed what the tolerances leave open, as the surfaces of ranges are displaced by. */
bool brink_instance_outside(const brink_instance *instance, const brink_variable *variable,
                            size_t element, double value) {
  if (variable->set != NULL) {
    for (size_t k = 0; k < variable->nset; k++) {
      if (variable->set[k] == value) return false;
    }
    return true;
  }
  if (!variable->has_range) return false;
  bool real = variable->type == BRINK_VALUE_REAL;
  double rtol = real ? instance->options.rtol : 0.0, atol = real ? instance->options.atol : 0.0;
  double lo, hi;
  bounds_of(variable, element, &lo, &hi);
  double below = isinf(lo) ? 0.0 : rtol * fabs(lo) + atol;
  double above = isinf(hi) ? 0.0 : rtol * fabs(hi) + atol;
  return !(value >= lo - below && value <= hi + above);
}

/* ---- endings and warnings ---- */

static void copy_text(char *to, size_t size, const char *text) {
  size_t length = strlen(text);
  if (length >= size) length = size - 1;
  memcpy(to, text, length);
  to[length] = '\0';
}

int brink_instance_end(brink_instance *instance, brink_ending ending, brink_now *now,
                       const char *message) {
  bool worse = instance->ending == BRINK_ENDING_NONE || instance->ending == BRINK_ENDING_STOP;
  if (worse && (instance->ending == BRINK_ENDING_NONE || ending != BRINK_ENDING_STOP)) {
    instance->ending = ending;
    copy_text(instance->message, sizeof instance->message, message);
  }
  copy_text(now->message, BRINK_DIAG_MESSAGE, message != NULL ? message : instance->message);
  return ending == BRINK_ENDING_STOP ? BRINK_STOPPED : -1;
}

/* An action and the surface that it jumped over may both find the same violation: it is reported once. */
static bool is_reported(const brink_instance *instance, uint32_t variable, size_t element,
                        double t) {
  for (size_t k = instance->nwarnings; k-- > 0 && instance->warnings[k].t == t;) {
    const brink_warning *warning = &instance->warnings[k];
    if (warning->variable == variable && warning->element == element) return true;
  }
  return false;
}

static void warn(brink_instance *instance, uint32_t variable, size_t element, double value,
                 double t) {
  if (is_reported(instance, variable, element, t)) return;
  if (instance->nwarnings == BRINK_WARNINGS) {
    brink_warning *last = &instance->warnings[BRINK_WARNINGS - 1];
    instance->dropped_warnings++;
    last->t = t;
    last->variable = variable;
    last->element = element;
    snprintf(last->text, sizeof last->text, "%zu more values outside their ranges, up to t = %.10g",
             instance->dropped_warnings + 1, t);
    return;
  }
  brink_warning *warning = &instance->warnings[instance->nwarnings];
  *warning = (brink_warning){.t = t, .variable = variable, .element = element};
  describe(instance, variable, element, value, t, warning->text, sizeof warning->text);
  instance->warning_texts[instance->nwarnings++] = warning->text;
}

int brink_instance_violation(brink_instance *instance, uint32_t variable, size_t element,
                             double value, brink_now *now) {
  if (instance->options.range_warns) {
    warn(instance, variable, element, value, brink_system_time(instance->system, now->t));
    return 0;
  }
  char text[BRINK_SENTENCE];
  describe(instance, variable, element, value, brink_system_time(instance->system, now->t), text,
           sizeof text);
  return brink_instance_end(instance, BRINK_ENDING_RANGE, now, text);
}

/* Is this instance of a flag the surface of a range, and past it at the start? */
static bool starts_outside(brink_instance *instance, uint32_t f, size_t index) {
  const brink_task *value = &instance->flags[f].value;
  brink_frame frame = brink_instance_frame(instance, instance->system->t0, instance->x0,
                                           instance->p0, instance->mode0, instance->seen.sgn);
  brink_instance_prepare(instance, value, &frame);
  brink_instance_run(instance, value, &frame, index, 1);
  return instance->outputs[0] < 0.0;
}

void brink_instance_check_start(brink_instance *instance) {
  const brink_system *system = instance->system;
  char message[BRINK_DIAG_MESSAGE];
  brink_now now = {.t = system->t0, .message = message};
  bool evaluated = false;
  for (size_t f = 0; f < system->nflags; f++) {
    const brink_flag *flag = &system->flags[f];
    if (flag->kind != BRINK_FLAG_RANGE || flag->value == NULL) continue;
    bool computed = system->variables[flag->variable].space == BRINK_SPACE_V;
    if (instance->options.takes_turns && !computed) continue; /* looked at when it was set */
    if (!evaluated)
      brink_instance_evaluate(instance, system->t0, instance->x0, instance->p0, instance->mode0,
                              NULL);
    evaluated = true;
    for (size_t i = 0; i < flag->count; i++) {
      if (starts_outside(instance, (uint32_t)f, i))
        brink_instance_violation(instance, flag->variable, i,
                                 brink_instance_value(instance, flag->variable, i), &now);
    }
  }
}
