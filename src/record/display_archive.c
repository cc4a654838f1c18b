/* display_archive.c: what a report has collected so far, to bytes and back (base/archive.h). Lists of events, approaches and
 * meetings are kept as the text that goes into the data of the page, which no text can leave (display_page.c). */
#include "record/display_parts.h"

static void archive_approach(const brink_approaches *all, brink_guard_approach *approach,
                             brink_archive *a) {
  const brink_system *system = all->def->columns->system;
  brink_archive_count(a, &approach->event, SIZE_MAX / 4);
  brink_archive_count(a, &approach->guard, SIZE_MAX / 4);
  brink_archive_u32(a, &approach->flag);
  brink_archive_count(a, &approach->index, SIZE_MAX / 4);
  brink_archive_check(a, approach->flag < system->nflags &&
                             approach->index < system->flags[approach->flag].count &&
                             approach->guard < all->def->guards.count);
  brink_archive_double(a, &approach->t);
  brink_archive_double(a, &approach->value);
  brink_archive_double(a, &approach->tolerance);
  /* The step after it adds as many points again, and its end. */
  brink_archive_count(a, &approach->nalong, BRINK_APPROACH_POINTS);
  brink_archive_count(a, &approach->nsteps, BRINK_APPROACH_STEPS);
  brink_archive_doubles(a, approach->along_dt, approach->nalong);
  brink_archive_doubles(a, approach->along_g, approach->nalong);
  brink_archive_doubles(a, approach->step_dt, approach->nsteps);
  brink_archive_doubles(a, approach->step_g, approach->nsteps);
}

static void archive_approaches(brink_approaches *all, brink_archive *a) {
  size_t kept = all->nx <= BRINK_DISPLAY_LARGE ? BRINK_APPROACH_STEPS : 0;
  size_t nflags = all->def->columns->system->nflags;
  brink_archive_mark(a, "approach");
  brink_archive_doubles(a, all->recent_t, kept);
  brink_archive_doubles(a, all->recent_x, kept * all->nx);
  brink_archive_count(a, &all->recent, SIZE_MAX / 4);
  brink_archive_bool(a, &all->happened);
  brink_archive_double(a, &all->begun);
  brink_archive_count(a, &all->nopen, BRINK_APPROACH_OPEN);
  for (size_t k = 0; k < all->nopen && !a->failed; k++) archive_approach(all, &all->open[k], a);
  if (a->failed && a->reads) all->nopen = 0;
  for (size_t k = 0; k < nflags; k++) brink_archive_u32(a, &all->logged[k]);
  brink_archive_count(a, &all->count, SIZE_MAX / 4);
  brink_archive_text(a, &all->text);
}

static void archive_populations(brink_populations *all, brink_archive *a) {
  brink_archive_mark(a, "places");
  for (size_t k = 0; k < all->count; k++) {
    brink_archive_text(a, &all->item[k].pair_events);
    brink_archive_count(a, &all->item[k].npair_events, SIZE_MAX / 4);
  }
  if (all->count > 0) brink_thin_archive(&all->frames, a);
}

void brink_display_archive(brink_display *display, brink_archive *a) {
  brink_archive_mark(a, "display");
  brink_archive_same(a, display->nchosen);
  for (size_t k = 0; k < display->nchosen; k++) brink_archive_same(a, display->chosen[k]);
  brink_thin_archive(&display->rows, a);
  brink_thin_archive(&display->points, a);
  brink_thin_archive(&display->steps, a);
  brink_thin_archive(&display->times, a);
  brink_archive_count(a, &display->turn, BRINK_DISPLAY_TURNS - 1);
  brink_archive_count(a, &display->nsteps, SIZE_MAX / 4);
  brink_archive_count(a, &display->nevents, SIZE_MAX / 4);
  brink_archive_count(a, &display->ntold, SIZE_MAX / 4);
  brink_archive_text(a, &display->events);
  if (display->def.sim != NULL) {
    brink_trace_archive(&display->trace, a);
    archive_approaches(&display->approaches, a);
  }
  archive_populations(&display->populations, a);
}
