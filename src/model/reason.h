/* reason.h: how a run failed, as a reason with arguments, and in words. */
#ifndef BRINK_MODEL_REASON_H
#define BRINK_MODEL_REASON_H

#include "model/model.h"

/* The arguments of a reason. Only those that its message mentions are read. */
typedef struct brink_arguments {
  double t, h;
  size_t state, parameter, guard, clock;
  const size_t *guards; /* the first BRINK_DIAG_GUARDS of them are kept */
  size_t nguards;
  double value, limit;
  int64_t count;
  size_t population[2], agent[2];
  const char *population_name[2];
  const char *text;
  const size_t *equations, *states; /* of constraints */
  const int *orders;
  const double *values; /* of the states; NULL: none */
  size_t nequations, nstates;
} brink_arguments;

/* Fills the diagnostic: reason, status, arguments, and the message in the words of the C API. `model` has the names of
 * guards, states and clocks. Returns the status. NULL diag is fine. */
brink_status brink_fail(brink_diag *diag, const brink_model *model, brink_reason reason,
                        const brink_arguments *arguments);

/* ---- messages: templates in which {argument} stands for one of a diagnostic ----
 *
 *   {t} {t:10}      the time: all digits, or ten          {h} {value} {limit} {count} {parameter} {text}
 *   {guard} {state} {clock}   a name in quotes             {noun}    what a guard is called, with its name
 *   {guards}        names in quotes, with commas           {first} {second}   of them
 *   {actor}         who acted: a guard, a clock, the rules
 *   {agent} {pair}  agents by number and population
 *   [ … ]           left out if an argument inside it is not set */

/* How somebody calls the things of a model. Functions write at most `size` characters. */
typedef struct brink_vocabulary {
  void (*guard)(const void *user, size_t guard, char *text, size_t size); /* 'name' */
  void (*noun)(const void *user, size_t guard, char *text, size_t size);  /* guard 'name' */
  void (*state)(const void *user, size_t state, char *text, size_t size);
  void (*parameter)(const void *user, size_t parameter, char *text, size_t size);
  void (*clock)(const void *user, size_t clock, char *text, size_t size);
  void (*population)(const void *user, int side, char *text, size_t size);
  /* A constraint, or a derivative of it; NULL: by its number. */
  void (*equation)(const void *user, size_t equation, int order, char *text, size_t size);
  const void *user;
} brink_vocabulary;

/* Writes at most `size` characters, the last of them NUL. */
void brink_reason_write(const char *form, const brink_diag *diag, const brink_vocabulary *words,
                        char *text, size_t size);

/* The template of a reason in the words of the C API; NULL: the message is given with the refusal. */
const char *brink_reason_form(brink_reason reason);

#endif
