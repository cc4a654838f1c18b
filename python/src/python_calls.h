/* python_calls.h: functions of brink._ode that C calls. `callable` is a handle of the Python object to call. cffi takes the
 * interpreter lock, and turns an exception into the negative number that each returns then. */
#ifndef BRINKPY_PYTHON_CALLS_H
#define BRINKPY_PYTHON_CALLS_H

#include <brink/brink.h>

/* 0, or positive to refuse. What is read and written is in buffers. */
int brinkpy_call(void *callable, double t);
/* Likewise of a series, up to an order. */
int brinkpy_expand(void *callable, int order, double t, double unit);
/* An action of a guard (event), or of a clock (NULL, count): 0 or BRINK_STOPPED. */
int brinkpy_act(void *callable, const brink_event *event, int64_t count, brink_now *now);
int brinkpy_apply_rules(void *callable, brink_now *now, bool *changed);
int brinkpy_accumulate(void *callable, const size_t *guards, size_t count, brink_now *now);
int brinkpy_note_near_miss(void *callable, const brink_near_miss *record);
int brinkpy_note_slide(void *callable, const brink_slide_record *record);

#endif
