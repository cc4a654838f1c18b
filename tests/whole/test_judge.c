/* test_judge.c: the judge alone, on models whose answers are known in closed form. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "judge/judge.h"
#include "support/tree.h"

#define MODEL(declarations, initial, dynamics, rest)                                               \
  "ctc M is body declarations " declarations " end declarations; initial " initial                 \
  " end initial; dynamics " dynamics " end dynamics; " rest " end body; end M;"

typedef struct known {
  const char *what, *text;
  double until;
  const char *final;  /* a state … */
  double value;       /* … at the end */
  const char *events; /* "f- g+": in order; NULL: not looked at */
  double first;       /* time of the first; NaN: not looked at */
  judge_ending ending;
  bool exact; /* the start is not to be moved */
} known;

static const known models[] = {
    {"an elsif chain on time (item 1)",
     MODEL("state(y, real);", "y := 0.0;",
           "y' = if time < 1 then 1.0 elsif time < 2 then 2.0 else 3.0;", ""),
     4.0, "y", 9.0, "", NAN, JUDGE_FINISHED, false},
    {"a dead zone (item 1)",
     MODEL("state(x, real); state(v, real); variable(f, real);", "x := 1.0; v := 0.0;",
           "x' = -1.0; f = if x > 0.5 then x - 0.5 elsif x < -0.5 then x + 0.5 else 0.0; v' = f;",
           ""),
     4.0, "v", -3.0, "", NAN, JUDGE_FINISHED, false},
    {"one surface in two equations (item 2)",
     MODEL("state(v1, real); state(v2, real);", "v1 := 1.0; v2 := 0.0;",
           "v1' = 1.0 - 2.0*sign(v1 - v2); v2' = 2.0*sign(v1 - v2)/2.0;", ""),
     /* meet at v = 2/3, t = 1/3; then 2 v1' + 2*v2' … : v1' = 1 - 2s, v2' = s, equal at s = 1/3 */
     2.0, "v1", 1.0 / 3.0 + (2.0 - 1.0 / 3.0) / 3.0 + 1.0 / 9.0, NULL, NAN, JUDGE_FINISHED, false},
    {"x > y here, y > x there (item 2)",
     MODEL("state(x, real); state(y, real); state(c, real);", "x := 1.0; y := 0.0; c := 0.0;",
           "x' = if x > y then -2.0 else 1.0; y' = 0.0; c' = if y > x then 3.0 else 0.0;", ""),
     2.5, "c", 3.0 * 2.0 * 2.0 / 3.0, "", NAN, JUDGE_FINISHED, false},
    {"a unilateral edge whose formula switches (item 3)",
     MODEL("state(x, real); state(v, real); flag(wall, unilateral);", "x := 0.0; v := 1.0;",
           "x' = v; v' = 0.0; wall = if x > 1 then 4 - (x - 1)^2 else 4;",
           "event(wall) negative-going v := -v; end negative-going; end event;"),
     8.0, "x", -2.0, "wall-", 3.0, JUDGE_FINISHED, false},
    {"a zero with slope zero on both sides (item 4)",
     MODEL("state(x, real); flag(f); flag(late);", "x := -1.0;",
           "x' = 1.0; f = x*abs(x); late = x - 1.5;", ""),
     4.0, "x", 3.0, "f+ late+", 1.0, JUDGE_FINISHED, false},
    {"one corner in two branches (item 31)",
     MODEL("state(v, real); mode(m, {\"push\", \"pull\"}); flag(f);", "v := 0.0; m := \"push\";",
           "if m = \"push\" then v' = 1.0 - v*abs(v); else v' = -1.0 - v*abs(v); end if; f = time "
           "- 2.0;",
           "event(f) positive-going m := \"pull\"; end positive-going; end event;"),
     /* tanh(2) at 2; then v' = -(1 + v^2) down to 0, and -tanh after it */
     6.0, "v", -0.99689343655, "f+", 2.0, JUDGE_FINISHED, false},
    {"a flag with a corner, after a jump (item 32)",
     MODEL("state(x, real); flag(go); flag(g);", "x := 0.9;",
           "x' = 0.0; go = time - 1.0; g = abs(x) - 0.5;",
           "event(go) positive-going x := -x; end positive-going; end event;"),
     2.0, "x", -0.9, "go+", 1.0, JUDGE_FINISHED, false},
    {"a guard that is zero with rate zero at the start (item 33)",
     MODEL("state(x, real); flag(g);", "x := 0.0;", "x' = time; g = x - 0.25*time^2;", ""), 3.0,
     "x", 4.5, "", NAN, JUDGE_FINISHED, true},
    {"a largest value that two of three share for a while",
     MODEL("state(x, real); state(z, real);", "x := 2.0; z := 0.0;",
           "x' = -1.0; z' = max(x, sign(time + 1.0), sign(time + 2.0));", ""),
     3.0, "z", 1.5 + 2.0, "", NAN, JUDGE_FINISHED, false},
    {"a ball",
     MODEL("state(h, real); state(v, real); flag(floor, unilateral);", "h := 1.0; v := 0.0;",
           "h' = v; v' = -2.0; floor = h;",
           "event(floor) negative-going v := -0.5*v; end negative-going; end event;"),
     2.6, "h", 0.25 * 0.1 - 0.1 * 0.1, "floor- floor- floor-", 1.0, JUDGE_FINISHED, false},
    {"a tank that runs empty",
     MODEL("state(h, real); mode(m, {\"drains\", \"empty\"}); flag(e, unilateral);",
           "h := 1.0; m := \"drains\";",
           "if m = \"drains\" then h' = -sqrt(h); else h' = 0.0; end if; e = h;",
           "event(e) negative-going m := \"empty\"; end negative-going; end event;"),
     4.0, "h", 0.0, "e-", NAN, JUDGE_FINISHED, false},
    {"a wall and no action",
     MODEL("state(x, real); flag(wall, unilateral);", "x := 1.0;", "x' = -1.0; wall = x;", ""), 3.0,
     "x", 0.0, "wall-", 1.0, JUDGE_BLOCKED, false},
    {"sliding between two fields",
     MODEL("state(x, real); state(y, real); flag(s);", "x := -1.0; y := 0.0;",
           "s = x; x' = if sgn(s) > 0 then -3.0 else 1.0; y' = if sgn(s) > 0 then 0.0 else 1.0;",
           ""),
     3.0, "y", 2.5, "s+", 1.0, JUDGE_FINISHED, false},
    {"rules read what earlier ones wrote (item 7)",
     "ctc P is interface output(y, signal); end interface; body declarations state(x, real); end "
     "declarations;"
     " initial x := 0.0; end initial; dynamics x' = 1.0; end dynamics; output y = x; end output; "
     "end body; end P;"
     "lbc L is interface input(u, real); end interface; body declarations mode(s, {\"idle\", "
     "\"up\", \"down\"});"
     " state(n, integer); end declarations; initial s := \"idle\"; n := 0; end initial; rules"
     " when s = \"idle\" and u > 1.0 do s := \"up\"; n := n + 1; end when;"
     " when s = \"idle\" and u > 1.0 and u > 0.5 do s := \"down\"; n := n + 10; end when;"
     " end rules; end body; end L;"
     "composite C is body components p : P; l : L; end components;"
     " connections connect(p.y, l.u); end connections; end body; end C;",
     3.0, "l.n", 1.0, "", NAN, JUDGE_FINISHED, false},
    {"samples that coincide, by priority",
     "dtc Fast is interface output(y, real); end interface; body declarations sample(0.1, 0.0); "
     "priority(2);"
     " state(n, integer); end declarations; initial n := 0; end initial; update n := n + 1; end "
     "update;"
     " output y = n; end output; end body; end Fast;"
     "dtc Slow is interface input(u, real); end interface; body declarations sample(0.3, 0.0); "
     "priority(1);"
     " state(sum, real); end declarations; initial sum := 0.0; end initial; update sum := sum + u; "
     "end update;"
     " end body; end Slow;"
     "composite Both is body components slow : Slow; fast : Fast; end components;"
     " connections connect(fast.y, slow.u); end connections; end body; end Both;",
     0.9, "slow.sum", 18.0, "", NAN, JUDGE_FINISHED, false},
    {"three balls that meet at once (items 30, 39)",
     "ctc Ball is body declarations state(x, real); state(v, real); end declarations;"
     " dynamics x' = v; v' = 0.0; end dynamics; end body; end Ball;"
     "system Line is body components b[3] : Ball; end components; initial b[1].x := 0.0; b[2].x := "
     "3.0;"
     " b[3].x := 6.0; b[1].v := 1.0; b[2].v := 0.0; b[3].v := -1.0; end initial;"
     " agents population(b); pair(p, q) in b declarations flag(gap, unilateral); end declarations;"
     " dynamics gap = q.x - p.x - 1.0; end dynamics;"
     " event(gap) negative-going p.v := q.v; q.v := p.v; end negative-going; end event;"
     " end pair; end agents; end body; end Line;",
     4.0, "b[1].v", -1.0, NULL, 2.0, JUDGE_FINISHED, true},
};

static const judge_final *find_final(const judge_run *run, const char *name) {
  for (size_t k = 0; k < run->nfinals; k++)
    if (strcmp(run->finals[k].name, name) == 0) return &run->finals[k];
  return NULL;
}

static void list_events(const judge_run *run, char *text, size_t size) {
  size_t n = 0;
  text[0] = '\0';
  for (size_t k = 0; k < run->nevents && n < size; k++)
    n += (size_t)snprintf(text + n, size - n, "%s%s%c", k > 0 ? " " : "", run->events[k].flag,
                          run->events[k].direction > 0 ? '+' : '-');
}

static void judge_knows(const known *model) {
  char events[400];
  judge_verdict v;
  brink_unit *unit = tree_parse(model->text);
  judge_decide(unit, model->until, model->exact, &v);
  CHECK_MSG(!v.apart, "%s: set apart: %s: %s", model->what, v.why, v.reason);
  CHECK_MSG(v.run.ending == model->ending, "%s: %s", model->what, judge_ending_name(v.run.ending));
  list_events(&v.run, events, sizeof events);
  if (model->events != NULL)
    CHECK_MSG(strcmp(events, model->events) == 0, "%s: events %s", model->what, events);
  if (!isnan(model->first) && v.run.nevents > 0)
    CHECK_MSG(fabs(v.run.events[0].t - model->first) < 1e-8, "%s: first event at %.12g",
              model->what, v.run.events[0].t);
  const judge_final *final = find_final(&v.run, model->final);
  CHECK_MSG(final != NULL && fabs(final->value - model->value) < 1e-6, "%s: %s = %.12g, not %.12g",
            model->what, model->final, final != NULL ? final->value : (double)NAN, model->value);
  judge_verdict_free(&v);
  brink_unit_destroy(unit);
}

static void test_judge_gives_the_answers_of_closed_forms(void) {
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) judge_knows(&models[k]);
}

int main(void) {
  RUN(test_judge_gives_the_answers_of_closed_forms);
  return check_done();
}
