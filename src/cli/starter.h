/* starter.h: the models that brink new writes. */
#ifndef BRINK_CLI_STARTER_H
#define BRINK_CLI_STARTER_H

typedef struct cli_starter {
  const char *kind; /* as --kind names it; NULL: the list ends */
  const char *help;
  const char *text;       /* with $NAME, $FILE, $PAGE, $MORE */
  const char *plot, *set; /* what is worth looking at, and changing */
} cli_starter;

extern const cli_starter cli_starters[];

#endif
