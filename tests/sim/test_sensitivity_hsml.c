/* Derivatives of runs of models in the language, against closed forms: exact tangents of equations, flags and
 * actions; knobs that enter initial values and other parameters; held values; samples. */
#include "lang/knobs.h"
#include "model/model.h"
#include "support/hsml_run.h"
#include <brink/sensitivity.h>

#include "check.h"

#include <stdlib.h>

enum { MAX_EVENTS = 64, MAX_WIDTH = 64 };

typedef struct told {
  size_t count, nx;
  double time[MAX_EVENTS][MAX_WIDTH], after[MAX_EVENTS][MAX_WIDTH];
} told;

static void note(const brink_sensitivity_event *event, void *user) {
  told *to = user;
  size_t k = to->count++;
  if (k >= MAX_EVENTS) return;
  for (size_t j = 0; j < event->count && j < MAX_WIDTH; j++) to->time[k][j] = event->time[j];
  for (size_t j = 0; j < to->nx * event->count && j < MAX_WIDTH; j++)
    to->after[k][j] = event->after[j];
}

typedef struct session {
  hsml_run *run;
  brink_knobs knobs;
  brink_sensitivity *s;
  size_t count; /* all states, then all knobs that have derivatives */
  told events;
} session;

static session *open_text(const char *text, double rtol) {
  session *made = calloc(1, sizeof *made);
  hsml_wishes wishes = hsml_default(rtol);
  wishes.options.audit = true;
  made->run = hsml_open(text, &wishes);
  CHECK_MSG(made->run->status == BRINK_OK, "%s", made->run->diag.message);
  brink_flatten_options options = {.seed = 1};
  size_t nx = made->run->system->nx, np = made->run->system->np;
  CHECK(brink_knobs_find(made->run->unit, &options, made->run->system, 0, NULL, &made->knobs) ==
        BRINK_OK);
  made->count = nx;
  for (size_t k = 0; k < made->knobs.count; k++) made->count += made->knobs.knobs[k].x != NULL;
  double *x = calloc(nx * made->count + 1, sizeof *x), *p = calloc(np * made->count + 1, sizeof *p);
  for (size_t i = 0; i < nx; i++) x[i * made->count + i] = 1.0;
  size_t column = nx;
  for (size_t k = 0; k < made->knobs.count; k++) {
    const brink_knob *knob = &made->knobs.knobs[k];
    if (knob->x == NULL) continue;
    brink_direction_fill(x, nx, made->count, column, knob->x);
    brink_direction_fill(p, np, made->count, column++, knob->p);
  }
  made->events.nx = nx;
  brink_sensitivity_def def = brink_default_sensitivity();
  def.count = made->count;
  def.x = x;
  def.p = p;
  def.event = note;
  def.user = &made->events;
  brink_diag diag;
  CHECK_MSG(brink_sensitivity_create(made->run->sim, &def, NULL, &diag, &made->s) == BRINK_OK, "%s",
            diag.message);
  free(x);
  free(p);
  return made;
}

static void close_session(session *s) {
  brink_sensitivity_destroy(s->s);
  brink_knobs_free(&s->knobs);
  hsml_close(s->run);
  free(s);
}

/* The present derivative of a state in a direction: a state's or a knob's name. */
static size_t direction(const session *s, const char *name) {
  size_t column = s->run->system->nx;
  for (size_t k = 0; k < s->knobs.count; k++) {
    if (s->knobs.knobs[k].x == NULL) continue;
    if (strcmp(s->knobs.knobs[k].name, name) == 0) return column;
    column++;
  }
  return hsml_state(s->run, name);
}

static double at(const session *s, const char *state, const char *by) {
  return brink_sensitivity_state(s->s)[hsml_state(s->run, state) * s->count + direction(s, by)];
}

static double time_of(const session *s, size_t event, const char *by) {
  return s->events.time[event][direction(s, by)];
}

#define CHECK_RELATIVE(actual, expected, tolerance)                                                \
  CHECK_NEAR(actual, expected, (tolerance) * (fabs(expected) + 1e-3))

/* ---- resets and modes ---- */

/* A ball dropped from a height that a knob and a computed parameter give: h0 = 2 reach, e = 1 - loss^2. */
static const char ball[] = "ctc Ball is\n"
                           "  interface knob(reach); knob(loss); knob(g); knob(n); end interface;\n"
                           "  body\n"
                           "    declarations state(h, real); state(v, real); state(k, integer);\n"
                           "      parameter(reach, real); parameter(loss, real);\n"
                           "      parameter(g, real); parameter(e, real); parameter(n, integer);\n"
                           "      flag(floor, unilateral); end declarations;\n"
                           "    initial h := 2.0*reach; v := 0.0; k := 0; end initial;\n"
                           "    dynamics h' = v; v' = -g; floor = h; end dynamics;\n"
                           "    event(floor) negative-going v := -e*v; k := k + 1;\n"
                           "      end negative-going; end event;\n"
                           "    assignments reach : 1.0; loss : 0.5; g : 9.81;\n"
                           "      e : 1.0 - loss^2; n : 3; end assignments;\n"
                           "  end body;\n"
                           "end Ball;\n";

TEST(knobs_reach_initial_values_and_computed_parameters) {
  session *s = open_text(ball, 1e-10);
  CHECK_INT(s->knobs.count, 4);
  CHECK(s->knobs.knobs[3].x == NULL && s->knobs.knobs[3].reason != NULL);
  double h = 2.0, g = 9.81, e = 0.75, t1 = sqrt(2.0 * h / g), t2 = t1 * (1.0 + 2.0 * e);
  double end = t2 + 0.1;
  hsml_go(s->run, end);
  CHECK_INT(s->events.count, 2);
  CHECK_RELATIVE(time_of(s, 0, "h"), t1 / (2.0 * h), 1e-8);
  CHECK_RELATIVE(time_of(s, 0, "reach"), 2.0 * t1 / (2.0 * h), 1e-8);
  CHECK_RELATIVE(time_of(s, 0, "loss"), 0.0, 1e-8);
  CHECK_RELATIVE(time_of(s, 1, "g"), -t2 / (2.0 * g), 1e-8);
  CHECK_RELATIVE(time_of(s, 1, "loss"), 2.0 * t1 * (-2.0 * 0.5), 1e-8); /* de/dloss = -2 loss */
  /* v = g t1 e^2 - g (t - t2) */
  double dt1 = t1 / (2.0 * h);
  CHECK_RELATIVE(at(s, "v", "h"), g * dt1 * e * e + g * dt1 * (1 + 2 * e), 1e-8);
  CHECK_RELATIVE(at(s, "v", "reach"), 2.0 * (g * dt1 * e * e + g * dt1 * (1 + 2 * e)), 1e-8);
  CHECK_RELATIVE(at(s, "v", "loss"), -1.0 * (2.0 * g * t1 * e + g * 2.0 * t1), 1e-8);
  CHECK_INT(brink_sensitivity_limits(s->s), 0);
  close_session(s);
}

/* Heating to a level with a mode: T = c + (T0 - c) exp(-t/10), c = outdoor + 20; then cooling. */
static const char room[] = "ctc Room is\n"
                           "  interface knob(outdoor); knob(top); end interface;\n"
                           "  body\n"
                           "    declarations state(T, real); parameter(outdoor, real);\n"
                           "      parameter(top, real); mode(heater, {\"on\", \"off\"});\n"
                           "      flag(warm); flag(cold); end declarations;\n"
                           "    initial T := 20.0; heater := \"on\"; end initial;\n"
                           "    dynamics T' = -0.1*(T - outdoor)\n"
                           "        + (if heater = \"on\" then 2.0 else 0.0);\n"
                           "      warm = T - top; cold = T - 18.0; end dynamics;\n"
                           "    event(warm) positive-going heater := \"off\";\n"
                           "      end positive-going; end event;\n"
                           "    event(cold) negative-going heater := \"on\";\n"
                           "      end negative-going; end event;\n"
                           "    assignments outdoor : 10.0; top : 22.0; end assignments;\n"
                           "  end body;\n"
                           "end Room;\n";

TEST(a_thermostat_has_the_derivatives_of_its_closed_form) {
  session *s = open_text(room, 1e-10);
  hsml_go(s->run, 8.0);
  /* t1 = 10 log((30 - 20)/(30 - 22)), t2 = t1 + 10 log((22 - 10)/(18 - 10)). */
  double t1 = 10.0 * log(10.0 / 8.0), t2 = t1 + 10.0 * log(12.0 / 8.0);
  CHECK_INT(s->events.count, 2);
  CHECK_NEAR(hsml_time(s->run, NULL, 1), t1, 1e-8);
  CHECK_RELATIVE(time_of(s, 0, "T"), -10.0 / 10.0, 1e-8);
  CHECK_RELATIVE(time_of(s, 0, "top"), 10.0 / 8.0, 1e-8);
  CHECK_RELATIVE(time_of(s, 0, "outdoor"), 10.0 * (1.0 / 10.0 - 1.0 / 8.0), 1e-8);
  CHECK_RELATIVE(time_of(s, 1, "T"), -1.0, 1e-8);
  CHECK_RELATIVE(time_of(s, 1, "top"), 10.0 / 8.0 + 10.0 / 12.0, 1e-8);
  double by_outdoor = 10.0 * (1.0 / 10.0 - 1.0 / 8.0) + 10.0 * (-1.0 / 12.0 + 1.0 / 8.0);
  CHECK_RELATIVE(time_of(s, 1, "outdoor"), by_outdoor, 1e-8);
  /* Then T = 30 - 12 exp(-(t - t2)/10). */
  double left = exp(-(8.0 - t2) / 10.0);
  CHECK_RELATIVE(at(s, "T", "T"), -1.2 * left * -1.0, 1e-8);
  CHECK_RELATIVE(at(s, "T", "outdoor"), 1.0 - left - 1.2 * left * by_outdoor, 1e-8);
  close_session(s);
}

/* ---- the edge of a square root ---- */

static const char drain[] = "ctc Drain is\n"
                            "  interface knob(a); end interface;\n"
                            "  body\n"
                            "    declarations state(h, real); parameter(a, real);\n"
                            "      mode(phase, {\"wet\", \"dry\"}); flag(low);\n"
                            "      flag(empty, unilateral); end declarations;\n"
                            "    initial h := 1.0; phase := \"wet\"; end initial;\n"
                            "    dynamics if phase = \"dry\" then h' = 0.0; else\n"
                            "      h' = -a*sqrt(h); end if; low = h - 0.25; empty = h;\n"
                            "    end dynamics;\n"
                            "    event(empty) negative-going phase := \"dry\"; h := 0.0;\n"
                            "      end negative-going; end event;\n"
                            "    assignments a : 0.2; end assignments;\n"
                            "  end body;\n"
                            "end Drain;\n";

/* sqrt(h) = sqrt(h0) - a t/2: at level l, t = 2 (sqrt(h0) - sqrt(l))/a. */
TEST(a_tank_runs_empty_with_a_finite_derivative) {
  session *s = open_text(drain, 1e-10);
  hsml_go(s->run, 12.0);
  CHECK_INT(s->events.count, 2);
  CHECK_RELATIVE(time_of(s, 0, "h"), 1.0 / 0.2, 1e-8);
  CHECK_RELATIVE(time_of(s, 0, "a"), -5.0 / 0.2, 1e-8);
  CHECK_RELATIVE(time_of(s, 1, "h"), 1.0 / 0.2, 1e-6);
  CHECK_RELATIVE(time_of(s, 1, "a"), -10.0 / 0.2, 1e-6);
  CHECK_NEAR(at(s, "h", "h"), 0.0, 1e-6);
  close_session(s);
}

/* ---- sliding ---- */

/* S5 of the reference table, with the amplitude as a knob: y = y0 - t + A (1 - cos t) down to 0. */
static const char slide[] = "ctc Slide is\n"
                            "  interface knob(A); end interface;\n"
                            "  body\n"
                            "    declarations state(y, real); state(z, real); parameter(A, real);\n"
                            "      flag(side); end declarations;\n"
                            "    initial y := 1.0; z := 0.0; end initial;\n"
                            "    dynamics y' = -sgn(side) + A*sin(time); z' = sgn(side) + y;\n"
                            "      side = y; end dynamics;\n"
                            "    assignments A : 1.5; end assignments;\n"
                            "  end body;\n"
                            "end Slide;\n";

TEST(sliding_forgets_where_it_came_from) {
  session *s = open_text(slide, 1e-10);
  double t1 = 3.73964807128089795288946586677, t2 = 3.87132030981675960191744004309;
  double f = -1.0 + 1.5 * sin(t1);
  hsml_go(s->run, 3.8);
  CHECK_INT(s->events.count, 1);
  CHECK_RELATIVE(time_of(s, 0, "y"), -1.0 / f, 1e-8);
  CHECK_RELATIVE(time_of(s, 0, "A"), -(1.0 - cos(t1)) / f, 1e-8);
  CHECK_NEAR(at(s, "y", "y"), 0.0, 1e-9);
  CHECK_NEAR(at(s, "y", "A"), 0.0, 1e-9);
  /* z: t1 + integral of y up to t1, then sgn = A sin t on the surface. */
  double dt1 = -1.0 / f;
  CHECK_RELATIVE(at(s, "z", "y"), t1 + dt1 * (1.0 - 1.5 * sin(t1)), 1e-8);
  double by_a = t1 - sin(t1) + (cos(t1) - cos(3.8)) + -(1.0 - cos(t1)) / f * (1.0 - 1.5 * sin(t1));
  CHECK_RELATIVE(at(s, "z", "A"), by_a, 1e-8);
  /* Left downwards at sin t = -2/3: y = (t - t2) + A (cos t2 - cos t), the field being continuous. */
  hsml_go(s->run, 6.0);
  CHECK_NEAR(at(s, "y", "y"), 0.0, 1e-9);
  CHECK_RELATIVE(at(s, "y", "A"), cos(t2) - cos(6.0), 1e-8);
  close_session(s);
}

/* ---- clocks ---- */

/* A sampled controller u = k (r - x), held for a second, x' = u: r - x_n = (r - x_0)(1 - k)^n. The output
 * that holds before the first sample depends on the start, and so does a sum that the update keeps. */
static const char sampled[] =
    "ctc Plant is\n"
    "  interface input(u, signal); output(y, signal); end interface;\n"
    "  body\n"
    "    declarations state(x, real); end declarations;\n"
    "    initial x := 0.25; end initial;\n"
    "    dynamics x' = u; end dynamics;\n"
    "    output y = x; end output;\n"
    "  end body;\n"
    "end Plant;\n"
    "dtc Controller is\n"
    "  interface input(y, real); output(u, real); knob(k); knob(r); knob(every); view(sum);\n"
    "    end interface;\n"
    "  body\n"
    "    declarations sample(every, 0.5); state(sum, real); parameter(k, real);\n"
    "      parameter(r, real); parameter(every, real); end declarations;\n"
    "    initial sum := 0.0; end initial;\n"
    "    update sum := sum + (r - y)^2; end update;\n"
    "    output u = k*(r - y); end output;\n"
    "    assignments k : 0.5; r : 2.0; every : 1.0; end assignments;\n"
    "  end body;\n"
    "end Controller;\n"
    "system Loop is\n"
    "  body\n"
    "    components plant : Plant; control : Controller; end components;\n"
    "    connections connect(plant.y, control.y); connect(control.u, plant.u); end connections;\n"
    "    simulation until : 3.0; end simulation;\n"
    "  end body;\n"
    "end Loop;\n";

TEST(a_sampled_loop_carries_held_values_from_the_start) {
  session *s = open_text(sampled, 1e-10);
  CHECK_INT(s->knobs.count, 3);
  for (size_t k = 0; k < s->knobs.count; k++) {
    bool period = strcmp(s->knobs.knobs[k].name, "control.every") == 0;
    CHECK_MSG((s->knobs.knobs[k].x == NULL) == period, "%s", s->knobs.knobs[k].name);
    if (period) CHECK_CONTAINS(s->knobs.knobs[k].reason, "period");
  }
  hsml_go(s->run, 3.0);
  /* Before the first sample, for half a second, u = k (r - x_0); then whole seconds, and a half. */
  double k = 0.5, r = 2.0, x0 = 0.25, half = 1.0 - 0.5 * k, whole = 1.0 - k;
  double factor = half * whole * whole * half;
  CHECK_NEAR(hsml_final(s->run, "plant.x"), r - (r - x0) * factor, 1e-9);
  CHECK_RELATIVE(at(s, "plant.x", "plant.x"), factor, 1e-8);
  CHECK_RELATIVE(at(s, "plant.x", "control.r"), 1.0 - factor, 1e-8);
  double slope = -half * whole * whole * half * (2.0 * 0.5 / half + 2.0 / whole);
  CHECK_RELATIVE(at(s, "plant.x", "control.k"), -(r - x0) * slope, 1e-8);
  close_session(s);
}

/* ---- timers ---- */

/* x' = x, and x := x + 1 at the times p and 3p, which a timer is set to. */
static const char timed[] = "ctc Timed is\n"
                            "  interface knob(p); end interface;\n"
                            "  body\n"
                            "    declarations state(x, real); timer(t1); parameter(p, real);\n"
                            "    end declarations;\n"
                            "    initial x := 1.0; t1 := p; end initial;\n"
                            "    dynamics x' = x; end dynamics;\n"
                            "    event(t1) x := x + 1.0; t1 := time + 2*p; end event;\n"
                            "    assignments p : 0.5; end assignments;\n"
                            "  end body;\n"
                            "end Timed;\n";

TEST(the_time_of_a_timer_moves_with_what_set_it) {
  session *s = open_text(timed, 1e-10);
  hsml_go(s->run, 2.0);
  CHECK_INT(s->events.count, 2);
  CHECK_RELATIVE(time_of(s, 0, "p"), 1.0, 1e-9);
  CHECK_RELATIVE(time_of(s, 1, "p"), 3.0, 1e-9);
  CHECK_RELATIVE(time_of(s, 1, "x"), 0.0, 1e-9);
  CHECK_RELATIVE(at(s, "x", "p"), -exp(1.5) - 3.0 * exp(0.5), 1e-8);
  CHECK_RELATIVE(at(s, "x", "x"), exp(2.0), 1e-8);
  CHECK_INT(brink_sensitivity_limits(s->s), 0);
  close_session(s);
}

/* x' = c[k] + A x of matrices: k is 1 up to t = 1, then 2, and the event adds c[k + 1] (of before). With a = 0.3 the
 * second state is e^{a t}, which the first one integrates. */
static const char chosen[] =
    "ctc Chosen is\n"
    "  interface knob(low); knob(high); knob(a); end interface;\n"
    "  body\n"
    "    declarations state(x[2], real); state(k, integer);\n"
    "      parameter(low, real); parameter(high, real);\n"
    "      parameter(a, real); parameter(c[2], real);\n"
    "      parameter(A[2, 2], real); flag(next); end declarations;\n"
    "    initial x := [0.0, 1.0]; k := 1; end initial;\n"
    "    dynamics x' = A*x + [c[k], 0.0]; next = time - 1.0; end dynamics;\n"
    "    event(next) positive-going x[k] := x[k] + c[k + 1];\n"
    "      k := k + 1; end positive-going; end event;\n"
    "    assignments low : 2.0; high : 3.0; a : 0.3; c : [low, high^2];\n"
    "      A : [[0.0, 1.0], [0.0, a]]; end assignments;\n"
    "  end body;\n"
    "end Chosen;\n";

TEST(elements_that_are_looked_up_have_derivatives) {
  session *s = open_text(chosen, 1e-11);
  hsml_go(s->run, 3.0);
  double a = 0.3, e = exp(3.0 * a);
  CHECK_RELATIVE(hsml_final(s->run, "x[1]"), 2.0 + 9.0 + 2.0 * 9.0 + (e - 1.0) / a, 1e-9);
  CHECK_RELATIVE(at(s, "x[1]", "low"), 1.0, 1e-8); /* for one second */
  CHECK_RELATIVE(at(s, "x[1]", "high"), 2.0 * 3.0 * 3.0,
                 1e-8); /* at once and for two: c[2] = high^2 */
  CHECK_RELATIVE(at(s, "x[1]", "a"), (3.0 * e * a - (e - 1.0)) / (a * a), 1e-8);
  CHECK_RELATIVE(at(s, "x[1]", "x[2]"), (e - 1.0) / a, 1e-8);
  CHECK_RELATIVE(at(s, "x[2]", "a"), 3.0 * e, 1e-8);
  close_session(s);
}

int main(void) {
  RUN(the_time_of_a_timer_moves_with_what_set_it);
  RUN(knobs_reach_initial_values_and_computed_parameters);
  RUN(a_thermostat_has_the_derivatives_of_its_closed_form);
  RUN(a_tank_runs_empty_with_a_finite_derivative);
  RUN(sliding_forgets_where_it_came_from);
  RUN(a_sampled_loop_carries_held_values_from_the_start);
  RUN(elements_that_are_looked_up_have_derivatives);
  return check_done();
}
