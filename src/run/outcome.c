/* outcome.c: what became of a run: status, reason, and words for it. */
#include <math.h>
#include <string.h>

#include "run/population_run.h"
#include "model/model.h"
#include "sim/sim.h"

typedef struct verdict {
  brink_status status;
  const char *reason;
  const char *hint; /* what to try; NULL: the message says it */
} verdict;

static const verdict verdicts[] = {
    {BRINK_ERR_STEP, "step", NULL},
    {BRINK_ERR_BLOCKED, "blocked", NULL},
    {BRINK_ERR_ZENO, "zeno", NULL},
    {BRINK_ERR_LOOP, "loop",
     "an action that undoes what another one does never comes to rest: give the model a mode that "
     "remembers what has been done"},
    {BRINK_ERR_SLIDING, "sliding", NULL},
    {BRINK_ERR_DOMAIN, "domain",
     "look at the initial values and at what the last action wrote; a unilateral flag keeps the "
     "dynamics from being evaluated past its surface"},
    {BRINK_ERR_CALLBACK, "action", NULL},
    {BRINK_ERR_UNSUPPORTED, "unsupported", NULL},
    {BRINK_ERR_MEMORY, "memory", NULL},
    {BRINK_ERR_ARGUMENT, "argument", NULL},
};

static const verdict *find_verdict(brink_status status) {
  static const verdict other = {BRINK_OK, "other", NULL};
  for (size_t k = 0; k < sizeof verdicts / sizeof verdicts[0]; k++) {
    if (verdicts[k].status == status) return &verdicts[k];
  }
  return &other;
}

/* ---- names ---- */

static const brink_model *model_of(const brink_run *run) {
  return brink_instance_model(run->subject.instance);
}

/* Names in words about an agent get its number. */
static const char *named(const brink_run *run, const char *words) {
  if (run->population_run == NULL || run->population_run->one == NULL) return words;
  brink_agent_event who = brink_population_run_who(run->population_run);
  return brink_population_run_rename(run->population_run, &who, words);
}

static brink_subject subject_of(const brink_run *run) {
  brink_subject one = {run->system, run->instance, run->sim};
  if (run->population_run == NULL) return one;
  if (run->population_run->one == NULL || run->population_run->pair == NULL) return (brink_subject){0};
  brink_agent_event who = brink_population_run_who(run->population_run);
  const brink_instance_set *actor = brink_population_run_actor(run->population_run, &who);
  bool alone = who.pair == BRINK_NONE && run->population_run->agents != NULL;
  return (brink_subject){actor->system, actor->instance,
                       alone ? brink_agents_sim(run->population_run->agents, who.population) : NULL};
}

/* ---- accumulation ---- */

enum { PATTERN = 4 };

/* The guards of the last instants, once each: those of the pattern that repeats at the end. */
static size_t pattern_of(const brink_history *history, size_t *guards) {
  size_t count = 0;
  int last = history->count - 1, period = 1;
  for (; period < PATTERN; period++) {
    bool repeats = last >= 2 * period;
    for (int k = 0; repeats && k < 2 * period && last - k - period >= 0; k++)
      repeats = history->guard[last - k] == history->guard[last - k - period];
    if (repeats) break;
  }
  for (int k = 0; k < period && last - k >= 0; k++) {
    bool known = false;
    for (size_t j = 0; j < count; j++) known = known || guards[j] == history->guard[last - k];
    if (!known) guards[count++] = history->guard[last - k];
  }
  return count;
}

/* The names of the flags that accumulate; of agents, who keep no history, the last one. */
static size_t name_pattern(brink_run *run, const char **names) {
  size_t guards[PATTERN], count = 0;
  const brink_sim *sim = run->subject.sim;
  if (run->population_run != NULL) return brink_population_events_last(run->population_run, &names[0]) ? 1 : 0;
  if (sim != NULL) count = pattern_of(&sim->history, guards);
  for (size_t k = 0; k < count; k++) names[k] = brink_model_guard_name(model_of(run), guards[k]);
  return count;
}

static void describe_zeno(brink_run *run) {
  brink_summary *summary = &run->summary;
  const char **names = brink_arena_take(&run->arena, PATTERN, sizeof *names);
  size_t count = names != NULL ? name_pattern(run, names) : 0;
  brink_text text = {0};
  for (size_t k = 0; k < count; k++) brink_text_add(&text, "%s'%s'", k > 0 ? ", " : "", names[k]);
  summary->zeno = true;
  summary->zeno_t = run->diag.t;
  summary->zeno_flags = names;
  summary->nzeno_flags = count;
  const char *hint = run->options.sim.zeno == BRINK_ZENO_CONTINUE
                         ? "the model needs a mode for the limit"
                         : "give the model a mode for the limit, or go on with --zeno continue";
  snprintf(run->diag.message, sizeof run->diag.message,
           "infinitely many events of %s before t = %.10g: %s", text.data != NULL ? text.data : "",
           run->diag.t, hint);
  brink_text_free(&text);
}

/* ---- words ----
 *
 * The core speaks to those who write callbacks; here somebody wrote a model. */

/* Said of a step that collapsed, where a unilateral flag may be there already. */
static const char undefined_ahead[] =
    "if the model ends there, declare the edge as a unilateral guard";
static const char singular[] =
    "if it switches, declare a guard; if the model ends, a unilateral one";

typedef struct phrase {
  const char *core, *model;
} phrase;

/* Where one begins another, it comes first. */
static const phrase phrases[] = {
    {undefined_ahead, "if the model ends there, declare the edge as a unilateral flag"},
    {singular, "if it switches, declare a flag; if the model ends, a unilateral one"},
    {"it is NaN, or its callback refused", "it is not a number"},
    {"it refused, or dx/dt of ", "the derivative of "},
    {"combine them into one guard", "combine them into one flag"},
    {"guards", "flags"},
    {"guard", "flag"},
};

static const brink_flag *flag_of(const brink_run *run, size_t guard) {
  uint32_t flag;
  size_t index;
  brink_instance_flag(run->subject.instance, guard, &flag, &index);
  return &run->subject.system->flags[flag];
}

static bool is_unilateral(const brink_run *run, size_t guard) {
  return guard != BRINK_NONE && model_of(run)->guards[guard].def.side == BRINK_UNILATERAL;
}

static bool reads(const brink_guard_def *guard, size_t state) {
  for (size_t k = 0; k < guard->ndepends; k++) {
    if (guard->depends[k] == state) return true;
  }
  return false;
}

/* The declared edge of the model that a state is nearest to; BRINK_NONE: there is none. */
static size_t edge_of(brink_run *run, size_t state) {
  brink_sim *sim = run->subject.sim;
  size_t nearest = BRINK_NONE;
  double least = (double)INFINITY;
  if (sim == NULL || state == BRINK_NONE) return nearest;
  for (size_t k = 0; k < sim->model->def.nguards; k++) {
    if (!is_unilateral(run, k) || !reads(&sim->model->guards[k].def, state)) continue;
    double distance =
        fabs(brink_eval_peek(&sim->eval, k, sim->t, sim->x, sim->eval.p, sim->eval.mode));
    if (nearest != BRINK_NONE && !(distance < least)) continue;
    nearest = k;
    least = distance;
  }
  return nearest;
}

/* Advice about an edge that is declared already; false: there is none. */
static bool advise(brink_run *run, const phrase *said, brink_text *text) {
  if (said->core != undefined_ahead && said->core != singular) return false;
  size_t edge = edge_of(run, run->diag.state);
  if (edge == BRINK_NONE) return false;
  const char *name = brink_model_guard_name(model_of(run), edge);
  if (run->options.sim.events != BRINK_EXTRAPOLATE)
    brink_text_add(text,
                   "--events %s looks past the surface of the unilateral flag '%s'; --events "
                   "extrapolate does not",
                   run->summary.events_method, name);
  else if (said->core == undefined_ahead)
    brink_text_add(text, "the unilateral flag '%s' must reach zero before that edge", name);
  else
    return false;
  return true;
}

/* "guard '": what it is called depends on where it comes from. Returns what is read of `rest`. */
static size_t name_guard(const brink_run *run, const char *rest, brink_text *text) {
  static const char word[] = "guard '";
  const char *end = strchr(rest + sizeof word - 1, '\'');
  brink_flag_kind kind =
      run->diag.guard != BRINK_NONE ? flag_of(run, run->diag.guard)->kind : BRINK_FLAG_DECLARED;
  if (kind == BRINK_FLAG_RANGE && end != NULL) { /* 'q@upper' */
    brink_text_add(text, "'%.*s'", (int)strcspn(rest + sizeof word - 1, "@'"),
                   rest + sizeof word - 1);
    return (size_t)(end - rest) + 1;
  }
  brink_text_add(text, "%s", kind == BRINK_FLAG_GENERATED ? "the generated flag" : "flag");
  return sizeof "guard" - 1;
}

/* One phrase, one character, or a name in quotes. Returns how much of `rest` that was. */
static size_t reword_next(brink_run *run, const char *rest, brink_text *text) {
  const char *end = rest[0] == '\'' ? strchr(rest + 1, '\'') : NULL;
  if (end != NULL) {
    brink_text_append(text, rest, (size_t)(end - rest) + 1);
    return (size_t)(end - rest) + 1;
  }
  if (strncmp(rest, "guard '", 7) == 0) return name_guard(run, rest, text);
  for (size_t k = 0; k < sizeof phrases / sizeof phrases[0]; k++) {
    size_t length = strlen(phrases[k].core);
    if (strncmp(rest, phrases[k].core, length) != 0) continue;
    if (!advise(run, &phrases[k], text)) brink_text_add(text, "%s", phrases[k].model);
    return length;
  }
  brink_text_append(text, rest, 1);
  return 1;
}

static void reword_core(brink_run *run) {
  brink_diag *diag = &run->diag;
  brink_text text = {0};
  for (const char *rest = diag->message; *rest != '\0';) rest += reword_next(run, rest, &text);
  if (text.data != NULL && !text.failed)
    snprintf(diag->message, sizeof diag->message, "%s", text.data);
  brink_text_free(&text);
}

static void reword(brink_run *run, brink_status status) {
  brink_diag *diag = &run->diag;
  if (status == BRINK_ERR_ZENO) {
    describe_zeno(run);
  } else if (status == BRINK_ERR_BLOCKED && diag->guard != BRINK_NONE) {
    snprintf(diag->message, sizeof diag->message,
             "at t = %.17g the surface of the unilateral flag '%s' was reached, no action changed "
             "anything that dynamics reads, and the field still points past it: change a mode or a "
             "state in its event, or stop there",
             diag->t, brink_model_guard_name(model_of(run), diag->guard));
  } else if (diag->message[0] == '\0') {
    snprintf(diag->message, sizeof diag->message, "%s", brink_status_text(status));
  } else if (run->subject.instance != NULL && run->subject.sim != NULL) {
    reword_core(run);
  }
}

/* What to try beyond what the message says; not what has been done already. */
static const char *hint_of(const brink_run *run, const verdict *found) {
  if (found->status == BRINK_ERR_DOMAIN && run->subject.sim != NULL &&
      is_unilateral(run, run->diag.guard))
    return "look at the initial values and at what the last action wrote";
  return found->hint;
}

static void fail(brink_run *run, const char *reason, const char *message) {
  run->summary.status = "failed";
  run->summary.reason = reason;
  run->summary.message = message;
}

/* An action of the model ended it. False: none did. */
static bool judge_ending(brink_run *run, brink_ending ending, const char *words) {
  if (ending == BRINK_ENDING_RANGE)
    fail(run, "range", named(run, words));
  else if (ending == BRINK_ENDING_FAIL)
    fail(run, "fail", words);
  else
    return false;
  return true;
}

void brink_run_judge(brink_run *run) {
  brink_summary *summary = &run->summary;
  brink_status status = run->status;
  const char *words = NULL;
  run->subject = subject_of(run);
  brink_instance *instance = run->subject.instance;
  brink_ending ending =
      instance != NULL ? brink_instance_ending(instance, &words) : BRINK_ENDING_NONE;
  summary->t = brink_run_time(run);
  summary->reason = summary->message = run->hint = NULL;
  if (brink_run_results_lost(run)) {
    fail(run, "file", "the results could not be written");
  } else if (judge_ending(run, ending, words)) {
    return;
  } else if (status == BRINK_STOPPED && ending == BRINK_ENDING_STOP) {
    summary->status = "stopped";
    summary->message = words;
  } else if (status == BRINK_CANCELLED || status == BRINK_STOPPED || status == BRINK_ERR_WORK) {
    fail(run, "interrupted", "interrupted");
  } else if (status >= 0) {
    summary->status = "finished";
  } else {
    if (ending == BRINK_ENDING_RULES) status = BRINK_ERR_LOOP;
    reword(run, status);
    const verdict *found = find_verdict(status);
    fail(run, found->reason, named(run, run->diag.message));
    run->hint = hint_of(run, found);
  }
}
