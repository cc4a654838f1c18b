/* campaign.c: random models, the judge's answer and Brink's, side by side.
 *
 *     judge_campaign [--count N] [--seed S] [--first N] [--kind K] [--native PERCENT] [--save DIRECTORY]
 *                    [--jobs N] [--program BRINK] [--only N] [--file MODEL --until T [--exact]] [--verbose]
 *
 * Prints a table: for each kind its models, agreements, those set apart and why, disagreements. Exits with 1 if there
 * is a disagreement, or a kind of which more than half is set apart. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "judge/compare.h"
#include "judge/generate.h"
#include "support/formats.h"
#include "support/tree.h"

enum { KINDS = 128, REASONS = 16 };
#define ROUGH                                                                                      \
  20.0 /* measured: adams, leaving an edge where a root has no derivative, misses a thousand tolerances */

typedef struct tally {
  long models, agree, apart, disagree;
  long runs; /* of Brink */
  long reason[REASONS];
} tally;

typedef struct campaign {
  uint64_t seed, first, count;
  const char *kind, *save, *file;
  long only;
  int jobs;   /* processes */
  int native; /* percent of models that are compiled, too */
  double until;
  bool verbose, exact;
  compare_place place;
  tally kinds[KINDS];
  const char *reasons[REASONS];
  size_t nreasons;
} campaign;

/* ---- one model ---- */

static void show_verdict(const judge_verdict *v) {
  printf("judge: %s at %.12g%s%s, %ld steps\n", judge_ending_name(v->run.ending), v->run.t,
         v->apart ? ", set apart: " : "", v->apart ? v->reason : "", v->run.steps);
  for (size_t k = 0; k < v->run.nevents; k++)
    printf("  %-24s %+d  t = %.12g  +- %.1e  gain %.1e  slack %.1e\n", v->run.events[k].flag,
           v->run.events[k].direction, v->run.events[k].t, v->time_error ? v->time_error[k] : 0.0,
           v->time_gain ? v->time_gain[k] : 0.0, v->run.events[k].slack);
  for (size_t k = 0; k < v->run.nfinals; k++) {
    const judge_final *final = &v->run.finals[k];
    if (final->text != NULL)
      printf("  %-24s \"%s\"\n", final->name, final->text);
    else
      printf("  %-24s %.12g  +- %.1e  gain %.1e\n", final->name, final->value,
             v->final_error ? v->final_error[k] : 0.0, v->final_gain ? v->final_gain[k] : 0.0);
  }
}

static void count_apart(campaign *c, tally *t, const char *why) {
  size_t k = 0;
  while (k < c->nreasons && strcmp(c->reasons[k], why) != 0) k++;
  if (k == REASONS) k = REASONS - 1;
  if (k == c->nreasons) c->reasons[c->nreasons++] = why;
  t->reason[k]++;
  t->apart++;
}

static void save(const campaign *c, const char *name, const char *text, const char *differences,
                 double until) {
  char path[600];
  if (c->save == NULL) return;
  mkdir(c->save, 0777);
  snprintf(path, sizeof path, "%s/%s.hsml", c->save, name);
  FILE *file = fopen(path, "w");
  if (file == NULL) return;
  for (const char *line = differences; *line != '\0';) {
    size_t n = strcspn(line, "\n");
    fprintf(file, "%% %.*s\n", (int)n, line);
    line += n + (line[n] != '\0');
  }
  fprintf(file, "%% until %g\n%s", until, text);
  fclose(file);
}

static size_t ways_of(const campaign *c, bool agents, bool native, compare_way way[12]) {
  static const char *const methods[] = {"auto", "adams", "dopri"};
  size_t n = 0;
  for (size_t m = 0; m < 3; m++) {
    for (int code = 0; code <= (native ? 1 : 0); code++) {
      if (!agents || c->place.program == NULL) {
        way[n++] = (compare_way){.method = methods[m], .native = code == 1};
        continue;
      }
      way[n++] = (compare_way){.method = methods[m], .native = code == 1, .clocks = "one"};
      if (m < 2)
        way[n++] = (compare_way){.method = methods[m], .native = code == 1, .clocks = "own"};
    }
  }
  return n;
}

static void judge_model(campaign *c, tally *t, const char *name, const char *text, double until,
                        const generate_kind *kind, bool native) {
  judge_verdict verdict;
  char what[400], differences[8000] = "", way_name[80];
  size_t length = 0;
  brink_unit *unit = tree_parse(text);
  if (unit == NULL) abort();
  t->models++;
  judge_decide(unit, until, kind->exact, &verdict);
  if (kind->rough) verdict.rough = ROUGH;
  verdict.any_partner = kind->agents && kind->exact;
  if (c->verbose) show_verdict(&verdict);
  if (verdict.apart) {
    count_apart(c, t, verdict.why);
    if (c->verbose) printf("%s: set apart: %s: %s\n", name, verdict.why, verdict.reason);
  }
  compare_way way[12];
  size_t nways = verdict.apart ? 0 : ways_of(c, kind->agents, native, way);
  for (size_t k = 0; k < nways; k++) {
    t->runs++;
    bool ok = compare_run(text, until, &verdict, &way[k], &c->place, what, sizeof what);
    compare_way_name(&way[k], way_name, sizeof way_name);
    if (c->verbose) printf("%s: %s\n", way_name, ok ? "agrees" : what);
    if (!ok && length + 600 < sizeof differences)
      length += (size_t)snprintf(differences + length, sizeof differences - length, "%s: %s\n",
                                 way_name, what);
  }
  if (length > 0) {
    t->disagree++;
    printf("%s\n%s", name, differences);
    fflush(stdout);
    save(c, name, text, differences, until);
  } else if (!verdict.apart) {
    t->agree++;
  }
  judge_verdict_free(&verdict);
  brink_unit_destroy(unit);
}

static void judge_number(campaign *c, uint64_t n) {
  writer w;
  char name[100];
  const generate_kind *kind = generate_model(c->seed, n, &w);
  if (c->kind != NULL && strcmp(c->kind, kind->name) != 0) return;
  size_t k = (size_t)(n % generate_kind_count());
  snprintf(name, sizeof name, "%s-%llu-%llu", kind->name, (unsigned long long)c->seed,
           (unsigned long long)n);
  if (c->verbose) printf("%s, until %g\n%s", name, w.until, w.text);
  /* every kind has its share of compiled models */
  bool native = (int)((n / generate_kind_count()) % 100) < c->native;
  judge_model(c, &c->kinds[k], name, w.text, w.until, kind, native);
}

/* ---- the table ---- */

static int show_table(const campaign *c) {
  tally sum = {0};
  int bad = 0;
  printf("%-22s %7s %7s %7s %9s %8s\n", "kind", "models", "agree", "apart", "disagree", "runs");
  for (size_t k = 0; k < generate_kind_count(); k++) {
    const tally *t = &c->kinds[k];
    if (t->models == 0) continue;
    printf("%-22s %7ld %7ld %7ld %9ld %8ld\n", generate_kind_at(k)->name, t->models, t->agree,
           t->apart, t->disagree, t->runs);
    sum.models += t->models;
    sum.agree += t->agree;
    sum.apart += t->apart;
    sum.disagree += t->disagree;
    sum.runs += t->runs;
    for (size_t r = 0; r < c->nreasons; r++) sum.reason[r] += t->reason[r];
    if (t->disagree > 0 || (t->models >= 20 && 2 * t->apart > t->models)) bad = 1;
  }
  printf("%-22s %7ld %7ld %7ld %9ld %8ld\n", "all", sum.models, sum.agree, sum.apart, sum.disagree,
         sum.runs);
  for (size_t r = 0; r < c->nreasons; r++)
    if (sum.reason[r] > 0) printf("set apart: %-22s %ld\n", c->reasons[r], sum.reason[r]);
  return bad;
}

/* ---- the command ---- */

static char *read_model(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  char *text = calloc(1, 1 << 20);
  if (text != NULL && fread(text, 1, (1 << 20) - 1, file) == 0) text[0] = '\0';
  fclose(file);
  return text;
}

static int judge_file(campaign *c) {
  char *text = read_model(c->file);
  tally t = {0};
  if (text == NULL) {
    fprintf(stderr, "cannot read %s\n", c->file);
    return 2;
  }
  c->verbose = true;
  generate_kind kind = {.agents = strstr(text, "population(") != NULL, .exact = c->exact};
  judge_model(c, &t, c->file, text, c->until, &kind, c->native > 0);
  free(text);
  return t.disagree > 0;
}

static bool read_arguments(campaign *c, int argc, char **argv) {
  for (int k = 1; k < argc; k++) {
    const char *name = argv[k], *value = k + 1 < argc ? argv[k + 1] : NULL;
    if (strcmp(name, "--verbose") == 0) {
      c->verbose = true;
      continue;
    }
    if (strcmp(name, "--exact") == 0) {
      c->exact = true;
      continue;
    }
    if (value == NULL) return false;
    k++;
    if (strcmp(name, "--count") == 0)
      c->count = strtoull(value, NULL, 10);
    else if (strcmp(name, "--first") == 0)
      c->first = strtoull(value, NULL, 10);
    else if (strcmp(name, "--seed") == 0)
      c->seed = strtoull(value, NULL, 10);
    else if (strcmp(name, "--kind") == 0)
      c->kind = value;
    else if (strcmp(name, "--save") == 0)
      c->save = value;
    else if (strcmp(name, "--program") == 0)
      c->place.program = value;
    else if (strcmp(name, "--native") == 0)
      c->native = atoi(value);
    else if (strcmp(name, "--jobs") == 0)
      c->jobs = atoi(value);
    else if (strcmp(name, "--only") == 0)
      c->only = atol(value);
    else if (strcmp(name, "--file") == 0)
      c->file = value;
    else if (strcmp(name, "--until") == 0)
      c->until = atof(value);
    else
      return false;
  }
  return true;
}

/* ---- several processes ---- */

static void add_tallies(campaign *c, const campaign *part) {
  for (size_t k = 0; k < KINDS; k++) {
    tally *t = &c->kinds[k];
    const tally *p = &part->kinds[k];
    t->models += p->models;
    t->agree += p->agree;
    t->disagree += p->disagree;
    t->runs += p->runs;
    for (size_t r = 0; r < part->nreasons;
         r++) /* the words are those of this program, in every process */
      for (long i = 0; i < p->reason[r]; i++) count_apart(c, t, part->reasons[r]);
  }
}

/* Every process takes its share of each kind. */
static void run_share(campaign *c, int job) {
  char scratch[300];
  snprintf(scratch, sizeof scratch, "%s/model-%d.hsml", c->place.cache, job);
  c->place.scratch = scratch;
  uint64_t kinds = generate_kind_count();
  for (uint64_t n = c->first; n < c->first + c->count; n++)
    if ((int)(n / kinds % (uint64_t)c->jobs) == job) judge_number(c, n);
}

static int run_all(campaign *c) {
  int reads[16];
  pid_t child[16];
  for (int job = 0; job < c->jobs; job++) {
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0 || (child[job] = fork()) < 0) abort();
    if (child[job] == 0) {
      run_share(c, job);
      fflush(stdout);
      ssize_t written = write(ends[1], c, sizeof *c);
      _exit(written == (ssize_t)sizeof *c ? 0 : 1);
    }
    close(ends[1]);
    reads[job] = ends[0];
  }
  bool lost = false;
  for (int job = 0; job < c->jobs; job++) {
    static campaign part;
    size_t got = 0;
    for (ssize_t n;
         got < sizeof part && (n = read(reads[job], (char *)&part + got, sizeof part - got)) > 0;)
      got += (size_t)n;
    int status;
    waitpid(child[job], &status, 0);
    close(reads[job]);
    if (got == sizeof part)
      add_tallies(c, &part);
    else
      lost = true;
  }
  if (lost) printf("a process died: its models are missing\n");
  return show_table(c) | lost;
}

/* The share of random cases that a sanitizer has time for. */
static void shrink(campaign *c) {
  const char *percent = getenv("BRINK_ORACLE_PERCENT");
  if (percent != NULL && atoi(percent) > 0) c->count = c->count * (uint64_t)atoi(percent) / 100;
}

int main(int argc, char **argv) {
  static campaign c;
  char folder[256], scratch[300], command[300];
  c = (campaign){.seed = 1, .count = 1000, .only = -1, .until = 10.0, .jobs = 1};
#ifdef BRINK_PROGRAM
  c.place.program = BRINK_PROGRAM;
#endif
  if (!read_arguments(&c, argc, argv) || c.jobs < 1 || c.jobs > 16) {
    fprintf(stderr, "usage: see the head of tests/judge/campaign.c\n");
    return 2;
  }
  if (!make_temporary_folder(folder, sizeof folder)) {
    perror("temporary folder");
    return 2;
  }
  snprintf(scratch, sizeof scratch, "%s/model.hsml", folder);
  c.place.cache = folder;
  c.place.scratch = scratch;
  int outcome = 0;
  if (c.file != NULL) {
    outcome = judge_file(&c);
  } else if (c.only >= 0) {
    c.verbose = true;
    judge_number(&c, (uint64_t)c.only);
  } else {
    shrink(&c);
    outcome = run_all(&c);
  }
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) perror("rm");
  return outcome;
}
