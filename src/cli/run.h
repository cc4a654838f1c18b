/* run.h: one run of the program, from settings to summary. */
#ifndef BRINK_CLI_RUN_H
#define BRINK_CLI_RUN_H

#include "cli/load.h"
#include "cli/ranks.h"
#include "cli/settings.h"
#include "run/run.h"

typedef struct cli_plot cli_plot;
typedef struct cli_colours cli_colours;

typedef struct cli_simulation {
  const cli_arguments *arguments;
  cli_settings settings;
  brink_hsml *model;
  brink_run *run;    /* NULL: it was not made */
  brink_arena arena; /* of what follows */
  const char *also;  /* names of --plot, as patterns of what the run shows; NULL: none */
  size_t *wanted;    /* columns that --plot names */
  size_t nwanted;
  cli_plot *plot;  /* NULL: --plot is not given */
  bool reported;   /* the report is there */
  size_t nshown;   /* warnings so far */
  cli_ranks ranks; /* that make the run together, if it was started by mpirun */
} cli_simulation;

/* effect.c: warns of options that have no effect in this run, which has been made. */
void cli_effects_show(const cli_simulation *sim);

/* summary.c: for a person. */
void cli_summary(const cli_simulation *sim, brink_text *text);

/* waiting.c: the picture of --waiting. */
int cli_waiting_draw(const cli_simulation *sim);

/* condition.c: tables of the condition of events, and of what another method finds. */
void cli_conditions_show(const brink_run *run, const cli_colours *colours, brink_text *text);
void cli_comparison_show(const brink_run *run, const cli_colours *colours, brink_text *text);

#endif
