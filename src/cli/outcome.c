/* outcome.c: what became of a run: status, reason, exit code, and words for it. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "cli/crowd.h"
#include "cli/progress.h"
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

static const brink_model *model_of(const cli_simulation *run) {
  return brink_instance_model(run->subject.instance);
}

/* Names in words about an agent get its number. */
static const char *named(const cli_simulation *run, const char *words) {
  if (run->crowd == NULL || run->crowd->one == NULL) return words;
  brink_agent_event who = cli_crowd_who(run->crowd);
  return cli_crowd_rename(run->crowd, &who, words);
}

static cli_subject subject_of(const cli_simulation *run) {
  cli_subject one = {run->loaded.system, run->instance, run->sim};
  if (run->crowd == NULL) return one;
  if (run->crowd->one == NULL || run->crowd->pair == NULL) return (cli_subject){0};
  brink_agent_event who = cli_crowd_who(run->crowd);
  const cli_actor *actor = cli_crowd_actor(run->crowd, &who);
  bool alone = who.pair == BRINK_NONE && run->crowd->agents != NULL;
  return (cli_subject){actor->system, actor->instance,
                       alone ? brink_agents_sim(run->crowd->agents, who.population) : NULL};
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
static size_t name_pattern(cli_simulation *run, const char **names) {
  size_t guards[PATTERN], count = 0;
  const brink_sim *sim = run->subject.sim;
  if (run->crowd != NULL) return cli_tell_last(run->crowd, &names[0]) ? 1 : 0;
  if (sim != NULL) count = pattern_of(&sim->history, guards);
  for (size_t k = 0; k < count; k++) names[k] = brink_model_guard_name(model_of(run), guards[k]);
  return count;
}

static void tell_zeno(cli_simulation *run) {
  brink_summary *summary = &run->summary;
  const char **names = brink_arena_take(&run->arena, PATTERN, sizeof *names);
  size_t count = names != NULL ? name_pattern(run, names) : 0;
  brink_text text = {0};
  for (size_t k = 0; k < count; k++) brink_text_add(&text, "%s'%s'", k > 0 ? ", " : "", names[k]);
  summary->zeno = true;
  summary->zeno_t = run->diag.t;
  summary->zeno_flags = names;
  summary->nzeno_flags = count;
  const char *hint = run->settings.options.zeno == BRINK_ZENO_CONTINUE
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

static const brink_flag *flag_of(const cli_simulation *run, size_t guard) {
  uint32_t flag;
  size_t index;
  brink_instance_flag(run->subject.instance, guard, &flag, &index);
  return &run->subject.system->flags[flag];
}

static bool is_unilateral(const cli_simulation *run, size_t guard) {
  return guard != BRINK_NONE && model_of(run)->guards[guard].def.side == BRINK_UNILATERAL;
}

static bool reads(const brink_guard_def *guard, size_t state) {
  for (size_t k = 0; k < guard->ndepends; k++) {
    if (guard->depends[k] == state) return true;
  }
  return false;
}

/* The declared edge of the model that a state is nearest to; BRINK_NONE: there is none. */
static size_t edge_of(cli_simulation *run, size_t state) {
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
static bool advise(cli_simulation *run, const phrase *said, brink_text *text) {
  if (said->core != undefined_ahead && said->core != singular) return false;
  size_t edge = edge_of(run, run->diag.state);
  if (edge == BRINK_NONE) return false;
  const char *name = brink_model_guard_name(model_of(run), edge);
  if (run->settings.options.events != BRINK_EXTRAPOLATE)
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
static size_t name_guard(const cli_simulation *run, const char *rest, brink_text *text) {
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
static size_t reword_next(cli_simulation *run, const char *rest, brink_text *text) {
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

static void reword_core(cli_simulation *run) {
  brink_diag *diag = &run->diag;
  brink_text text = {0};
  for (const char *rest = diag->message; *rest != '\0';) rest += reword_next(run, rest, &text);
  if (text.data != NULL && !text.failed)
    snprintf(diag->message, sizeof diag->message, "%s", text.data);
  brink_text_free(&text);
}

static void reword(cli_simulation *run, brink_status status) {
  brink_diag *diag = &run->diag;
  if (status == BRINK_ERR_ZENO) {
    tell_zeno(run);
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
static const char *hint_of(const cli_simulation *run, const verdict *found) {
  if (found->status == BRINK_ERR_DOMAIN && run->subject.sim != NULL &&
      is_unilateral(run, run->diag.guard))
    return "look at the initial values and at what the last action wrote";
  return found->hint;
}

static int fail(cli_simulation *run, const char *reason, const char *message, int code) {
  run->summary.status = "failed";
  run->summary.reason = reason;
  run->summary.message = message;
  return code;
}

static int say_failure(const cli_simulation *run, int code, const char *hint) {
  const brink_summary *summary = &run->summary;
  if (strstr(summary->message, "t = ") != NULL) /* it says when by itself */
    cli_say("%s failed: %s", summary->model, summary->message);
  else
    cli_say("%s failed at t = %.10g: %s", summary->model, summary->t, summary->message);
  if (hint != NULL) fprintf(stderr, "hint: %s\n", hint);
  return code;
}

static int interrupted(cli_simulation *run) {
  cli_say("%s interrupted at t = %.10g", run->summary.model, run->summary.t);
  return fail(run, "interrupted", "interrupted", 128 + cli_interrupt_signal());
}

int cli_outcome(cli_simulation *run, brink_status status) {
  brink_summary *summary = &run->summary;
  const char *words = NULL;
  run->subject = subject_of(run);
  brink_instance *instance = run->subject.instance;
  brink_ending ending =
      instance != NULL ? brink_instance_ending(instance, &words) : BRINK_ENDING_NONE;
  if (run->sim != NULL) summary->t = brink_sim_time(run->sim);
  if (run->crowd != NULL && run->crowd->agents != NULL)
    summary->t = brink_agents_time(run->crowd->agents);
  const char *lost = cli_trajectory_lost(run);
  if (lost != NULL) return fail(run, "file", lost, CLI_FILE);
  if (ending == BRINK_ENDING_RANGE)
    return say_failure(run, fail(run, "range", named(run, words), CLI_MODEL_FAILED), NULL);
  if (ending == BRINK_ENDING_FAIL)
    return say_failure(run, fail(run, "fail", words, CLI_MODEL_FAILED), NULL);
  if (status == BRINK_TIME_REACHED) {
    summary->status = "finished";
    return CLI_OK;
  }
  if (status == BRINK_STOPPED && ending == BRINK_ENDING_STOP) {
    summary->status = "stopped";
    summary->message = words;
    return CLI_OK;
  }
  if (status >= 0 && cli_interrupt_signal() != 0) return interrupted(run);
  if (ending == BRINK_ENDING_RULES) status = BRINK_ERR_LOOP;
  reword(run, status);
  const verdict *found = find_verdict(status);
  return say_failure(run, fail(run, found->reason, named(run, run->diag.message), CLI_NUMERICS),
                     hint_of(run, found));
}
