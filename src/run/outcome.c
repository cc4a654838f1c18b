/* outcome.c: what became of a run: status, reason, and words for it. */
#include <string.h>

#include "model/model.h"
#include "run/failure.h"
#include "run/population_run.h"

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
    {BRINK_ERR_FILE, "file"},       {BRINK_ERR_CONSTRAINT, "constraint"},
};

const char *brink_run_reason(brink_status status) {
  for (size_t k = 0; k < sizeof verdicts / sizeof verdicts[0]; k++) {
    if (verdicts[k].status == status) return verdicts[k].reason;
  }
  return "other";
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
  const brink_population_run *population = run->population_run;
  brink_subject one = {run->system, run->instance, run->sim};
  if (population == NULL) return one;
  if (population->one == NULL || population->pair == NULL) return (brink_subject){0};
  brink_agent_event who = brink_population_run_who(population);
  const brink_instance_set *actor = brink_population_run_actor(population, &who);
  bool alone = who.pair == BRINK_NONE && population->agents != NULL;
  return (brink_subject){actor->system, actor->instance,
                         alone ? brink_agents_sim(population->agents, who.population) : NULL};
}

/* ---- words ---- */

/* The name of a guard for a person: that of a flag which nobody named has its text before it. */
static const char *label_of(brink_run *run, size_t guard) {
  brink_text text = {0};
  uint32_t flag;
  size_t index;
  brink_instance_flag(run->instance, guard, &flag, &index);
  brink_system_flag_label(run->system, flag, index, &text);
  const char *kept = text.length > 0 ? brink_arena_text(&run->arena, text.data) : NULL;
  brink_text_free(&text);
  return kept != NULL ? kept : brink_model_guard_name(model_of(run), guard);
}

/* The names of the flags that accumulate, and as a person is told of them; of agents, who keep no history, the last
 * one. */
static void note_accumulation(brink_run *run, const char *const **labels) {
  const brink_diag *diag = &run->diag;
  brink_summary *summary = &run->summary;
  const brink_population_run *population = run->population_run;
  const char **names = brink_arena_take(&run->arena, BRINK_DIAG_GUARDS, sizeof *names);
  const char **told = brink_arena_take(&run->arena, BRINK_DIAG_GUARDS, sizeof *told);
  if (names == NULL || told == NULL) return;
  size_t count = 0;
  if (population != NULL)
    count = brink_population_events_last(population, &names[0], &told[0]) ? 1 : 0;
  for (size_t k = 0; population == NULL && k < diag->nguards; k++) {
    told[count] = label_of(run, diag->guards[k]);
    names[count++] = brink_model_guard_name(model_of(run), diag->guards[k]);
  }
  *labels = told;
  summary->zeno_flags = names;
  summary->nzeno_flags = count;
}

static const char *const *population_names(brink_run *run) {
  if (run->population_run == NULL) return NULL;
  const brink_agent_tables *tables = run->population_run->tables;
  const char **names = brink_arena_take(&run->arena, tables->npopulations, sizeof *names);
  for (size_t k = 0; names != NULL && k < tables->npopulations; k++)
    names[k] = tables->populations[k].name;
  return names;
}

/* The message as compilers show one, with the equations. */
static void show_equations(brink_run *run, const brink_failure_places *places) {
  brink_text text = {0};
  brink_report_render_at(run->built->model->unit, BRINK_ERROR, places->at, places->count,
                         run->summary.message, run->hint, &text);
  run->rendered = text.length > 0 ? brink_arena_text(&run->arena, text.data) : NULL;
  brink_text_free(&text);
}

/* Message and hint of a failure. */
static void describe(brink_run *run, brink_status status) {
  brink_summary *summary = &run->summary;
  brink_text message = {0}, hint = {0};
  const char *const *labels = NULL;
  run->diag.status = status;
  if (status == BRINK_ERR_ZENO) {
    summary->zeno = true;
    summary->zeno_t = run->diag.t;
    note_accumulation(run, &labels);
  }
  brink_failure failure = {.diag = &run->diag,
                           .system = run->subject.system,
                           .instance = run->subject.instance,
                           .sim = run->subject.sim,
                           .options = &run->options.sim,
                           .flags = labels,
                           .nflags = summary->nzeno_flags,
                           .populations = population_names(run)};
  brink_failure_places places;
  brink_failure_describe(&failure, &message, &hint, &places);
  const char *text = message.length > 0 ? brink_arena_text(&run->arena, message.data) : NULL;
  run->hint = hint.length > 0 ? brink_arena_text(&run->arena, hint.data) : NULL;
  summary->message = named(run, text != NULL ? text : brink_status_text(status));
  if (places.count > 0) show_equations(run, &places);
  brink_text_free(&message);
  brink_text_free(&hint);
}

static void fail(brink_run *run, const char *reason, const char *message) {
  run->summary.status = "failed";
  run->summary.reason = reason;
  run->summary.message = message;
}

/* An action of the model, or a value, ended it. False: none did. */
static bool judge_ending(brink_run *run, brink_ending ending, const char *words) {
  if (ending == BRINK_ENDING_RANGE)
    fail(run, "range", named(run, words));
  else if (ending == BRINK_ENDING_FAIL)
    fail(run, "fail", words);
  else
    return false;
  return true;
}

static const char *reason_of(const brink_run *run, brink_status status) {
  brink_reason reason = run->diag.reason;
  bool input = reason == BRINK_REASON_INPUT_FAILED || reason == BRINK_REASON_INPUT_UNDEFINED;
  return input ? "input" : brink_run_reason(status);
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
  summary->reason = summary->message = run->hint = run->rendered = NULL;
  brink_status lost = brink_run_results_status(run);
  if (lost == BRINK_ERR_FILE) {
    fail(run, brink_run_reason(lost), "the results could not be written");
  } else if (lost != BRINK_OK) {
    fail(run, brink_run_reason(lost), "there is no memory for the trajectory");
  } else if (judge_ending(run, ending, words)) {
    return;
  } else if (status == BRINK_STOPPED && ending == BRINK_ENDING_STOP) {
    summary->status = "stopped";
    summary->message = words;
  } else if (status == BRINK_STOPPED && run->stop_asked) {
    summary->status = "stopped"; /* by an observer */
  } else if (status == BRINK_CANCELLED || status == BRINK_STOPPED || status == BRINK_ERR_WORK) {
    fail(run, "interrupted", "interrupted");
  } else if (status >= 0) {
    summary->status = "finished";
  } else {
    if (ending == BRINK_ENDING_RULES) status = BRINK_ERR_LOOP;
    describe(run, status);
    fail(run, reason_of(run, status), summary->message);
  }
}
