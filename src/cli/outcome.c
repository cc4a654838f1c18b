/* outcome.c: what became of a run: status, reason, exit code, and words for it. */
#include <signal.h>
#include <string.h>

#include "cli/crowd.h"
#include "cli/progress.h"
#include "model/model.h"
#include "run/failure.h"

typedef struct verdict {
  brink_status status;
  const char *reason;
} verdict;

static const verdict verdicts[] = {
    {BRINK_ERR_STEP, "step"},       {BRINK_ERR_BLOCKED, "blocked"},
    {BRINK_ERR_ZENO, "zeno"},       {BRINK_ERR_LOOP, "loop"},
    {BRINK_ERR_SLIDING, "sliding"}, {BRINK_ERR_DOMAIN, "domain"},
    {BRINK_ERR_CALLBACK, "action"}, {BRINK_ERR_UNSUPPORTED, "unsupported"},
    {BRINK_ERR_MEMORY, "memory"},   {BRINK_ERR_ARGUMENT, "argument"},
};

static const verdict *find_verdict(brink_status status) {
  static const verdict other = {BRINK_OK, "other"};
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

/* ---- words ---- */

/* The names of the flags that accumulate; of agents, who keep no history, the last one. */
static void note_accumulation(cli_simulation *run) {
  const brink_diag *diag = &run->diag;
  brink_summary *summary = &run->summary;
  const char **names = brink_arena_take(&run->arena, BRINK_DIAG_GUARDS, sizeof *names);
  if (names == NULL) return;
  size_t count = 0;
  if (run->crowd != NULL) count = cli_tell_last(run->crowd, &names[0]) ? 1 : 0;
  for (size_t k = 0; run->crowd == NULL && k < diag->nguards; k++)
    names[count++] = brink_model_guard_name(model_of(run), diag->guards[k]);
  summary->zeno_flags = names;
  summary->nzeno_flags = count;
}

static const char *const *population_names(cli_simulation *run) {
  if (run->crowd == NULL) return NULL;
  const brink_agent_tables *tables = run->crowd->tables;
  const char **names = brink_arena_take(&run->arena, tables->npopulations, sizeof *names);
  for (size_t k = 0; names != NULL && k < tables->npopulations; k++)
    names[k] = tables->populations[k].name;
  return names;
}

/* The message into the summary; returns what to try, NULL: the message says it. */
static const char *describe(cli_simulation *run, brink_status status) {
  brink_summary *summary = &run->summary;
  brink_text message = {0}, hint = {0};
  run->diag.status = status;
  if (status == BRINK_ERR_ZENO) {
    summary->zeno = true;
    summary->zeno_t = run->diag.t;
    note_accumulation(run);
  }
  brink_failure failure = {.diag = &run->diag,
                           .system = run->subject.system,
                           .instance = run->subject.instance,
                           .sim = run->subject.sim,
                           .options = &run->settings.options,
                           .flags = summary->zeno_flags,
                           .nflags = summary->nzeno_flags,
                           .populations = population_names(run)};
  brink_failure_describe(&failure, &message, &hint);
  const char *text = message.length > 0 ? brink_arena_text(&run->arena, message.data) : NULL;
  const char *advice = hint.length > 0 ? brink_arena_text(&run->arena, hint.data) : NULL;
  summary->message = named(run, text != NULL ? text : brink_status_text(status));
  brink_text_free(&message);
  brink_text_free(&hint);
  return advice;
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
  const char *hint = describe(run, status);
  return say_failure(run, fail(run, find_verdict(status)->reason, summary->message, CLI_NUMERICS),
                     hint);
}
