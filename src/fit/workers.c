/* workers.c: who makes the runs of a fit: threads of this process, and of others (ranks/crew.h).
 *
 * Runs that do not depend on each other are asked for at once: points that are looked at first, starts, the ends of intervals. Who is
 * free takes the next one. Answers are taken in the order of the questions, so that the result is the same whoever gave
 * them. A model is built for one run at a time; the runs themselves go on in all threads. */
#include <math.h>
#include <string.h>

#include "base/sha256.h"
#include "fit/by_ranks.h"
#include "fit/design_parts.h"
#include "fit/fit_parts.h"
#include "run/run.h"
#include "sweep/by_ranks.h"

#define LOOK_EVERY 0.01 /* seconds: progress is told, and interruptions are seen */
#define GRACE 2.0       /* seconds: an interrupted rank waits for rank 0 to end it */

void brink_fit_use_ranks(brink_fit *fit, const brink_ranks *ranks, double patience) {
  fit->ranks = ranks;
  fit->patience = patience;
}

size_t brink_fit_lost_ranks(const brink_fit *fit) {
  return fit->lost;
}

/* ---- progress ---- */

void brink_fit_tell(brink_fit *fit, double best) {
  pthread_mutex_lock(&fit->telling);
  fit->told.runs++;
  bool better =
      isnan(fit->told.best) || (fit->maximize ? best > fit->told.best : best < fit->told.best);
  if (!isnan(best) && better) fit->told.best = best;
  pthread_mutex_unlock(&fit->telling);
}

void brink_fit_tell_end(brink_fit *fit) {
  pthread_mutex_lock(&fit->telling);
  fit->told.start++;
  pthread_mutex_unlock(&fit->telling);
}

bool brink_fit_is_spent(const brink_fit_worker *worker) {
  return atomic_load(&worker->fit->cancelled) || worker->runs >= worker->fit->def.max_runs;
}

/* In the thread that solves. */
static bool look(void *user) {
  brink_fit *fit = user;
  const brink_ranks *ranks = &fit->here;
  double now = ranks->now(ranks->state);
  if (now - fit->looked < LOOK_EVERY) return false;
  fit->looked = now;
  pthread_mutex_lock(&fit->telling);
  brink_fit_progress progress = fit->told;
  pthread_mutex_unlock(&fit->telling);
  bool stop = fit->def.progress != NULL && fit->def.progress(&progress, fit->def.user) != 0;
  if (ranks->rank == 0) {
    if (stop) atomic_store(&fit->cancelled, true);
    return stop;
  }
  if (!stop) return false; /* rank 0 was interrupted, too, and says what there is */
  if (fit->interrupted == 0.0) fit->interrupted = now;
  return now - fit->interrupted > GRACE;
}

/* ---- one run ---- */

brink_status brink_fit_run_begin(brink_fit_worker *worker, const double *z,
                                 const brink_run_options *given, brink_fit_prepare *prepare,
                                 void *user, brink_run **run) {
  brink_fit *fit = worker->fit;
  brink_diag *diag = &worker->failure;
  brink_run_options options = *given;
  brink_status status = BRINK_OK;
  *run = NULL;
  if (options.sim.max_steps == 0) options.sim.max_steps = BRINK_FIT_STEPS;
  pthread_mutex_lock(&fit->building);
  for (size_t k = 0; k < fit->n && status == BRINK_OK; k++)
    status = brink_hsml_set(fit->model, fit->names[k], z[k], diag);
  if (status == BRINK_OK) status = brink_run_create(fit->model, &options, NULL, diag, run);
  if (status == BRINK_OK) status = prepare(*run, user, diag);
  pthread_mutex_unlock(&fit->building);
  if (status != BRINK_OK) return status;
  pthread_mutex_lock(&worker->lock);
  worker->running = *run;
  pthread_mutex_unlock(&worker->lock);
  return atomic_load(&fit->cancelled) ? BRINK_CANCELLED : BRINK_OK;
}

void brink_fit_run_end(brink_fit_worker *worker, brink_run *run) {
  pthread_mutex_lock(&worker->lock);
  worker->running = NULL;
  pthread_mutex_unlock(&worker->lock);
  pthread_mutex_lock(&worker->fit->building);
  brink_run_destroy(run);
  pthread_mutex_unlock(&worker->fit->building);
}

/* ---- workers ---- */

void brink_fit_worker_close(void *user) {
  brink_fit_worker *worker = user;
  brink_designing_close(worker->designing);
  pthread_mutex_destroy(&worker->lock);
  brink_arena arena = worker->arena;
  brink_arena_free(&arena);
}

void *brink_fit_worker_open(void *user, brink_diag *diag) {
  brink_fit *fit = user;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_fit_worker *worker = brink_arena_take(&arena, 1, sizeof *worker);
  if (worker == NULL || pthread_mutex_init(&worker->lock, NULL) != 0) {
    brink_arena_free(&arena);
    brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
    return NULL;
  }
  worker->fit = fit;
  worker->arena = arena;
  bool made;
  if (fit->measures.count > 0) {
    worker->designing = brink_designing_open(worker);
    made = worker->designing != NULL;
  } else {
    made = brink_fit_point_make(fit, &worker->arena, &worker->work) &&
           brink_fit_point_make(fit, &worker->arena, &worker->best);
    worker->fixed = brink_arena_take(&worker->arena, fit->n, sizeof *worker->fixed);
  }
  if (made && !worker->arena.failed) return worker;
  brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  brink_fit_worker_close(worker);
  return NULL;
}

/* From another thread. */
static void stop_worker(void *user) {
  brink_fit_worker *worker = user;
  atomic_store(&worker->fit->cancelled, true);
  pthread_mutex_lock(&worker->lock);
  brink_run_cancel(worker->running);
  pthread_mutex_unlock(&worker->lock);
}

/* A task of a fit to data. */
static brink_status do_task(brink_fit_worker *worker, brink_fit_task task, const double *z,
                            brink_fit_answer *answer, brink_diag *diag) {
  if (task == BRINK_TASK_START) {
    brink_status status = brink_fit_descend(worker, z, answer, diag);
    brink_fit_tell_end(worker->fit);
    return status;
  }
  if (task == BRINK_TASK_GO_ON) return brink_fit_go_on(worker, answer, diag);
  brink_status status = brink_fit_evaluate(worker, z, false, &answer->point, diag);
  brink_fit_tell(worker->fit, answer->point.usable ? answer->point.sum : (double)NAN);
  return status;
}

static void answer_fit(brink_fit_worker *worker, brink_archive *question, brink_archive *written) {
  brink_arena arena;
  brink_fit_answer answer;
  brink_fit_task task = BRINK_TASK_RUN;
  brink_arena_init(&arena, NULL);
  if (!brink_fit_answer_make(worker->fit, &arena, &answer)) {
    brink_archive_no_memory(written);
  } else {
    brink_fit_archive_question(worker->fit, &task, &worker->best, question);
    brink_fit_point *begin = &worker->best;
    double *z = brink_arena_copy(&arena, begin->z, worker->fit->n, sizeof *z);
    if (z == NULL || question->failed)
      answer.status = brink_diag_set(&worker->failure, BRINK_ERR_MEMORY, "out of memory");
    else
      answer.status = do_task(worker, task, z, &answer, &worker->failure);
    answer.failure = worker->failure;
    answer.runs = worker->runs;
    answer.derivative_runs = worker->derivative_runs;
    brink_fit_archive_answer(worker->fit, &answer, written);
  }
  brink_arena_free(&arena);
}

static void answer(void *user, const brink_text *question, brink_text *text) {
  brink_fit_worker *worker = user;
  brink_archive read, written;
  worker->runs = worker->derivative_runs = 0;
  brink_diag_clear(&worker->failure);
  brink_archive_read(&read, question->data, question->length);
  brink_archive_write(&written, NULL);
  if (worker->designing != NULL)
    brink_designing_answer(worker, &read, &written);
  else
    answer_fit(worker, &read, &written);
  if (written.failed)
    text->failed = true;
  else
    brink_text_append(text, written.text.data, written.text.length);
  brink_archive_free(&written);
  brink_archive_free(&read);
}

/* ---- what all ranks must agree on ---- */

static void add_data(const brink_fit *fit, brink_text *text) {
  for (size_t k = 0; k < fit->n; k++)
    brink_text_add(text, "knob %s %a %a %d\n", fit->knobs[k].name, fit->knobs[k].lo,
                   fit->knobs[k].hi, fit->knobs[k].log);
  for (size_t k = 0; k < fit->ndata; k++) {
    const brink_datum *datum = &fit->data[k];
    brink_text_add(text, "datum %s %zu %a %a %a\n", fit->measured[datum->of].name,
                   datum->occurrence, datum->t, datum->y, datum->sigma);
  }
  if (fit->objective != NULL) brink_text_add(text, "%d %s\n", fit->maximize, fit->objective);
  for (size_t k = 0; k < fit->nwanted; k++) brink_text_add(text, "%s\n", fit->wanted[k].text);
  brink_text_add(text, "method %d runs %zu interpret %d\n", (int)fit->def.method, fit->def.max_runs,
                 fit->options.interpret);
}

static brink_status add_model(brink_fit *fit, brink_text *text, brink_diag *diag) {
  brink_run *run = NULL;
  brink_archive a;
  brink_archive_write(&a, NULL);
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < fit->n && status == BRINK_OK; k++)
    status = brink_hsml_set(fit->model, fit->names[k], fit->initial[k], diag);
  if (status == BRINK_OK) status = brink_run_create(fit->model, &fit->options, NULL, diag, &run);
  if (status == BRINK_OK) status = brink_run_identify(run, &a, diag);
  if (status == BRINK_OK) brink_text_append(text, a.text.data, a.text.length);
  brink_run_destroy(run);
  brink_archive_free(&a);
  return status;
}

static brink_status fingerprint(brink_fit *fit, unsigned char digest[BRINK_SHA256_BYTES],
                                brink_diag *diag) {
  brink_text text = {0};
  brink_sha256 hash;
  add_data(fit, &text);
  brink_status status = add_model(fit, &text, diag);
  if (status == BRINK_OK && text.failed)
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  brink_sha256_init(&hash);
  if (status == BRINK_OK) brink_sha256_add(&hash, text.data, text.length);
  brink_sha256_finish(&hash, digest);
  brink_text_free(&text);
  return status;
}

/* ---- the crew ---- */

/* No more threads than there is to do at once; ranks on one machine share its cores, unless each was given its own. */
static size_t count_jobs(const brink_fit *fit) {
  size_t most = BRINK_FIT_SCREENED * (fit->def.starts - 1), jobs = fit->def.jobs;
  if (most < 2 * fit->n) most = 2 * fit->n;
  if (jobs == 0) {
    size_t machine = brink_sweep_machine_cores() / fit->here.beside;
    jobs = brink_sweep_cores();
    if (fit->here.beside > 1 && machine < jobs) jobs = machine;
  }
  if (jobs > most) jobs = most;
  return jobs > 0 ? jobs : 1;
}

brink_status brink_fit_crew_start(brink_fit *fit, brink_diag *diag) {
  fit->here = fit->ranks != NULL ? *fit->ranks : brink_ranks_alone();
  fit->told = (brink_fit_progress){.nstarts = fit->def.starts, .best = (double)NAN};
  fit->looked = fit->interrupted = 0.0;
  fit->lost = 0;
  brink_crew_def def = {.ranks = &fit->here,
                        .jobs = count_jobs(fit),
                        .patience = fit->ranks != NULL ? fit->patience : 1.0,
                        .open = brink_fit_worker_open,
                        .close = brink_fit_worker_close,
                        .answer = answer,
                        .stop = stop_worker,
                        .look = look,
                        .user = fit};
  brink_status status = fit->ranks != NULL ? fingerprint(fit, def.fingerprint, diag) : BRINK_OK;
  if (status == BRINK_OK) status = brink_crew_start(&def, diag, &fit->crew);
  if (status == BRINK_OK && fit->here.rank > 0) status = brink_crew_follow(fit->crew, diag);
  return status;
}

void brink_fit_crew_end(brink_fit *fit) {
  if (fit->crew != NULL) fit->lost = brink_crew_lost(fit->crew);
  bool cancelled = atomic_load(&fit->cancelled);
  brink_crew_end(fit->crew);
  atomic_store(&fit->cancelled, cancelled); /* the end of the threads is no interruption */
  fit->crew = NULL;
}

/* ---- asking ---- */

static brink_status put_questions(brink_fit *fit, const brink_fit_survey *survey,
                                  brink_text *questions, brink_diag *diag) {
  brink_archive a;
  for (size_t k = 0; k < survey->count; k++) {
    brink_archive_write(&a, NULL);
    survey->put(fit, k, &a, survey->user);
    bool failed = a.failed;
    if (!failed) brink_text_append(&questions[k], a.text.data, a.text.length);
    brink_archive_free(&a);
    if (failed || questions[k].failed)
      return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  return BRINK_OK;
}

static brink_status take_answers(brink_fit *fit, const brink_fit_survey *survey,
                                 const brink_text *answers, brink_diag *diag) {
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < survey->count && status == BRINK_OK; k++) {
    brink_archive a;
    if (answers[k].length == 0) continue;
    brink_archive_read(&a, answers[k].data, answers[k].length);
    status = survey->take(fit, k, &a, survey->user, diag);
    if (status == BRINK_OK && a.failed)
      status = brink_diag_set(diag, a.memory ? BRINK_ERR_MEMORY : BRINK_ERR_CALLBACK,
                              a.memory ? "out of memory" : "a rank has answered nonsense");
    brink_archive_free(&a);
  }
  return status;
}

brink_status brink_fit_ask(brink_fit *fit, const brink_fit_survey *survey, brink_diag *diag) {
  if (survey->count == 0 || atomic_load(&fit->cancelled)) return BRINK_OK;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_text *questions = brink_arena_take(&arena, survey->count, sizeof *questions);
  brink_text *answers = brink_arena_take(&arena, survey->count, sizeof *answers);
  brink_status status = arena.failed ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory")
                                     : put_questions(fit, survey, questions, diag);
  if (status == BRINK_OK)
    status = brink_crew_ask(fit->crew, questions, answers, survey->count, diag);
  if (status == BRINK_OK || status == BRINK_CANCELLED)
    status = take_answers(fit, survey, answers, diag);
  for (size_t k = 0; k < survey->count && !arena.failed; k++) {
    brink_text_free(&questions[k]);
    brink_text_free(&answers[k]);
  }
  brink_arena_free(&arena);
  return status;
}
