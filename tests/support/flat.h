/* flat.h: flat systems by hand, for tests of what runs them: what the language would make of a model,
 * written down. Nothing is scheduled: equations run in the order in which they are added, and read V
 * only of earlier ones. */
#ifndef BRINK_TESTS_FLAT_H
#define BRINK_TESTS_FLAT_H

#include "expr/system.h"

/* A system with an empty top group (number 0). Aborts the test program when memory is out. */
brink_system *toy_create(const char *name);
void toy_destroy(brink_system *system);

/* An array of `count` instances of the top: "name[3]". */
uint32_t toy_group(brink_system *system, const char *name, uint32_t count);

/* A variable of every instance, with its first value. Continuous states; held numbers; modes. */
uint32_t toy_state(brink_system *system, uint32_t group, const char *name, double start);
uint32_t toy_parameter(brink_system *system, uint32_t group, const char *name, double value);
uint32_t toy_held(brink_system *system, uint32_t group, const char *name, double start);
uint32_t toy_mode(brink_system *system, uint32_t group, const char *name, int start);
/* Computed by an equation. */
uint32_t toy_output(brink_system *system, uint32_t group, const char *name);
void toy_range(brink_system *system, uint32_t variable, double lo, double hi);
double toy_string(brink_system *system, const char *text); /* its number */

/* A kernel for all instances of a group. */
brink_kernel *toy_kernel(brink_system *system, uint32_t group, const char *name);
/* The variable of the same instance (of the only one, where its group is the top). */
brink_node toy_get(brink_system *system, brink_kernel *kernel, uint32_t variable);
/* In another space: PRE_X, DX, … */
brink_node toy_get_as(brink_system *system, brink_kernel *kernel, uint32_t variable,
                      brink_space space);
/* The locked sign of a flag of the same group. */
brink_node toy_sign(brink_system *system, brink_kernel *kernel, uint32_t flag);
brink_node toy_number(brink_kernel *kernel, double value);
brink_node toy_op(brink_kernel *kernel, brink_op op, brink_node a, brink_node b);
brink_node toy_apply(brink_kernel *kernel, brink_op op, brink_node a);

/* Outputs: x' = node, v = node, variable := node, the value of a flag or condition. */
void toy_derivative(brink_system *system, brink_kernel *kernel, uint32_t variable, brink_node node);
void toy_assign(brink_system *system, brink_kernel *kernel, uint32_t variable, brink_node node,
                brink_node when);
void toy_result(brink_kernel *kernel, brink_node node);
/* Adds a finished kernel to the programs. */
void toy_equation(brink_system *system, brink_kernel *kernel, bool needed_by_rhs);

/* A flag of every instance that the kernel is for; value NULL: a formula follows. */
uint32_t toy_flag(brink_system *system, uint32_t group, const char *name, brink_kernel *value,
                  brink_side side, brink_direction direction);
void toy_formula(brink_system *system, uint32_t flag, const int32_t *formula, size_t length);
/* The surface of a range: positive inside. */
void toy_range_flag(brink_system *system, uint32_t variable, bool upper);

brink_action *toy_action(brink_system *system, uint32_t group, const char *name);
void toy_effect(brink_system *system, brink_action *action, int kind, brink_node when,
                const char *text, size_t nargs, const brink_node *args);
uint32_t toy_clock(brink_system *system, const char *name, double period, double offset,
                   int priority, brink_action *action);
/* Samples of rules. */
uint32_t toy_rule_clock(brink_system *system, const char *name, double period);
/* flag BRINK_NO_INDEX: `condition` at the clock. */
void toy_rule(brink_system *system, uint32_t group, const char *name, uint32_t flag, uint32_t clock,
              brink_kernel *condition, brink_action *body);
/* x' = rate: something to hang things on. */
uint32_t toy_ramp(brink_system *system, const char *name, double from, double rate);
/* A bilateral flag `sign*(variable - level)`. */
uint32_t toy_level(brink_system *system, uint32_t variable, const char *name, double level,
                   double sign, brink_direction direction);

void toy_first_output(brink_system *system, brink_action *action);

#endif
