/* progress.c: a line on a terminal while a run is long; interruption. */
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "run/run.h"

/* Seconds: of a run that is not long; from one bar to the next; from one line to the next. */
#define DELAY 0.5
#define REDRAW 0.1
#define LINES 1.0

/* ---- interruption ---- */

/* A signal handler can reach nothing else. */
static volatile sig_atomic_t noted;
static brink_run *volatile watched;

static void note(int number) {
  noted = number;
  if (watched != NULL) brink_run_cancel(watched);
}

/* A second signal of the kind finds the default action: the program ends at once. */
void cli_interrupt_watch(brink_run *run) {
  watched = run;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = note;
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  const int signals[] = {SIGINT, SIGTERM};
  for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++) {
    struct sigaction was;
    if (sigaction(signals[k], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
      sigaction(signals[k], &action, NULL);
  }
}

int cli_interrupt_signal(void) {
  return (int)noted;
}

/* ---- what there is to tell ---- */

enum { PART = 48 };

/* "12 s", "3:05", "2:03:15"; nothing where nobody would wait for it. */
static void put_duration(char *to, double seconds) {
  to[0] = '\0';
  if (!(seconds < 100.0 * 3600.0)) return;
  int64_t whole = (int64_t)ceil(seconds), hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours > 0)
    snprintf(to, PART, "%" PRId64 ":%02" PRId64 ":%02" PRId64 " left", hours, minutes, whole % 60);
  else if (minutes > 0)
    snprintf(to, PART, "%" PRId64 ":%02" PRId64 " left", minutes, whole % 60);
  else
    snprintf(to, PART, "%" PRId64 " s left", whole);
}

/* How much of the way is behind; below 0: there is no end to it. */
static double share_of(const cli_progress *progress, double t) {
  double way = progress->until - progress->from;
  if (!isfinite(way)) return -1.0;
  if (way == 0.0) return 1.0;
  double share = (t - progress->from) / way;
  return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}

typedef struct parts {
  char share[PART], time[PART], speed[PART], events[PART], left[PART]; /* "": nothing to tell */
} parts;

static void fill_parts(const cli_progress *progress, double t, int64_t events, parts *p) {
  double share = share_of(progress, t);
  memset(p, 0, sizeof *p);
  if (share >= 0.0)
    snprintf(p->share, PART, "%3d %%", (int)(100.0 * share)); /* 100 is for what is done */
  if (progress->counts_runs)
    snprintf(p->time, PART, "run %.0f of %.0f", t, progress->until);
  else if (share >= 0.0)
    snprintf(p->time, PART, "t = %.4g of %.4g", t, progress->until);
  else
    snprintf(p->time, PART, "t = %.4g", t);
  if (progress->counts_runs)
    snprintf(p->events, PART, "%" PRId64 " failed", events);
  else
    snprintf(p->events, PART, "%" PRId64 " event%s", events, events == 1 ? "" : "s");
  if (!(progress->speed > 0.0)) return;
  snprintf(p->speed, PART, progress->counts_runs ? "%.3g runs/s" : "%.3g s/s", progress->speed);
  if (share >= 0.0) put_duration(p->left, fabs(progress->until - t) / progress->speed);
}

/* ---- the bar ---- */

enum { BAR_MOST = 30, BAR_LEAST = 8, GAP = 2 };

/* Eighths of a character where the locale has them. */
static void put_bar(brink_text *text, double share, size_t width, bool utf8) {
  static const char *const eighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                        "\u258c", "\u258b", "\u258a", "\u2589"};
  size_t parts_of_one = utf8 ? 8 : 1;
  size_t filled = (size_t)(share * (double)(width * parts_of_one));
  size_t whole = filled / parts_of_one, rest = filled % parts_of_one;
  if (!utf8) brink_text_append(text, "[", 1);
  for (size_t k = 0; k < whole; k++) brink_text_add(text, "%s", utf8 ? "\u2588" : "#");
  if (rest > 0) brink_text_add(text, "%s", eighths[rest]);
  for (size_t k = whole + (rest > 0); k < width; k++)
    brink_text_add(text, "%s", utf8 ? "\u2591" : ".");
  if (!utf8) brink_text_append(text, "]", 1);
}

/* What matters most gets its place first. A short bar comes before the last parts, and takes what they
 * leave. */
void cli_progress_bar(const cli_progress *progress, double t, int64_t events, size_t width,
                      brink_text *text) {
  parts p;
  fill_parts(progress, t, events, &p);
  const char *shown[] = {p.share, p.time, p.speed, p.events, p.left}; /* from left to right */
  static const size_t first[] = {0, 4, 1, 3, 2};                      /* as they matter */
  enum { COUNT = sizeof shown / sizeof shown[0], BEFORE_BAR = 3 };
  bool chosen[COUNT] = {false};
  size_t room = width > 0 ? width - 1 : 0; /* the last column makes some terminals wrap */
  size_t frame = progress->utf8 ? 0 : 2;
  double share = share_of(progress, t);
  for (size_t k = 0; k < COUNT; k++) {
    size_t length = strlen(shown[first[k]]) + GAP;
    size_t kept = k >= BEFORE_BAR && share >= 0.0 ? BAR_LEAST + frame : 0;
    if (length == GAP || length + kept > room) continue;
    chosen[first[k]] = true;
    room -= length;
  }
  if (share >= 0.0 && room >= BAR_LEAST + frame) {
    size_t bar = room - frame;
    put_bar(text, share, bar < BAR_MOST ? bar : BAR_MOST, progress->utf8);
  }
  for (size_t k = 0; k < COUNT; k++) {
    if (chosen[k]) brink_text_add(text, "%s%s", text->length > 0 ? "  " : "", shown[k]);
  }
}

void cli_progress_line(const cli_progress *progress, double t, const brink_stats *stats,
                       brink_text *text) {
  parts p;
  fill_parts(progress, t, stats->events, &p);
  const char *share = p.share + strspn(p.share, " ");
  brink_text_add(text, "%s", p.time);
  if (share[0] != '\0') brink_text_add(text, " (%s)", share);
  if (!progress->counts_runs) brink_text_add(text, ", %" PRId64 " steps", stats->steps);
  brink_text_add(text, ", %s", p.events);
  if (p.speed[0] != '\0') brink_text_add(text, ", %s", p.speed);
  if (p.left[0] != '\0') brink_text_add(text, ", %s", p.left);
}

/* ---- when ---- */

/* Speeds change along a run: what was measured fades with this time, in seconds. */
#define FADING 5.0

static void measure(cli_progress *progress, double now, double t) {
  double seconds = now - progress->last;
  if (!(seconds > 0.0)) return;
  double speed = fabs(t - progress->last_t) / seconds;
  double weight = progress->speed > 0.0 ? 1.0 - exp(-seconds / FADING) : 1.0;
  progress->speed += weight * (speed - progress->speed);
  progress->last = now;
  progress->last_t = t;
}

cli_progress cli_progress_begin(cli_when when, bool quiet, double from, double until) {
  double now = brink_seconds();
  cli_progress progress = {.terminal = cli_is_terminal(STDERR_FILENO),
                           .utf8 = cli_utf8(),
                           .from = from,
                           .until = until,
                           .last = now,
                           .last_t = from};
  progress.shown = when == CLI_ALWAYS || (when == CLI_AUTO && progress.terminal && !quiet);
  progress.next = now + (when == CLI_ALWAYS ? 0.0 : DELAY);
  return progress;
}

void cli_progress_show(cli_progress *progress, double t, const brink_stats *stats) {
  if (!progress->shown) return;
  double now = brink_seconds();
  if (now < progress->next) return;
  progress->next = now + (progress->terminal ? REDRAW : LINES);
  progress->any = true;
  measure(progress, now, t);
  brink_text text = {0};
  if (progress->terminal)
    cli_progress_bar(progress, t, stats->events, cli_terminal_width(STDERR_FILENO), &text);
  else
    cli_progress_line(progress, t, stats, &text);
  if (text.data != NULL && progress->terminal)
    fprintf(stderr, "\r%s\033[K", text.data);
  else if (text.data != NULL)
    fprintf(stderr, "%s\n", text.data);
  brink_text_free(&text);
  fflush(stderr);
}

void cli_progress_end(cli_progress *progress) {
  if (progress->any && progress->terminal) fputs("\r\033[K", stderr);
}
