#include "support/session.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "support/formats.h"

static const char anything[] = "…";

/* A line without its end. */
typedef struct span {
  const char *text;
  size_t length;
} span;

static span next_line(const char **text) {
  span line = {*text, strcspn(*text, "\n")};
  *text += line.length;
  if (**text == '\n') ++*text;
  return line;
}

static bool begins(span line, const char *word) {
  size_t n = strlen(word);
  return line.length >= n && strncmp(line.text, word, n) == 0;
}

static bool is(span line, const char *word) {
  return line.length == strlen(word) && begins(line, word);
}

/* ---- comparing ---- */

static span trimmed(span line) {
  while (line.length > 0 && isspace((unsigned char)line.text[0])) line.text++, line.length--;
  while (line.length > 0 && isspace((unsigned char)line.text[line.length - 1])) line.length--;
  return line;
}

typedef enum line_kind { PLAIN, NUMERICS, TIMES } line_kind;

static line_kind kind_of(span line) {
  static const char *const numerics[] = {"steps ", "audit ", "near ", "runs "};
  for (size_t k = 0; k < sizeof numerics / sizeof *numerics; k++)
    if (begins(line, numerics[k])) return NUMERICS;
  return begins(line, "time ") ? TIMES : PLAIN;
}

typedef struct number {
  double value, unit; /* unit: of the last digit */
  bool whole;         /* no point, no exponent */
  size_t length;      /* of its text */
} number;

/* A number at the beginning of the text. No hexadecimals, no inf: they are words. */
static bool read_number(span text, number *n) {
  size_t k = 0, digits = 0;
  int places = 0, exponent = 0;
  char copy[64];
  *n = (number){.whole = true};
  if (k < text.length && (text.text[k] == '-' || text.text[k] == '+')) k++;
  for (; k < text.length && (isdigit((unsigned char)text.text[k]) || text.text[k] == '.'); k++) {
    if (text.text[k] == '.' && !n->whole) break;
    if (text.text[k] == '.')
      n->whole = false;
    else if (!n->whole)
      places++;
    digits += text.text[k] != '.';
  }
  if (digits == 0 || k >= sizeof copy) return false;
  memcpy(copy, text.text, text.length < sizeof copy ? text.length : sizeof copy - 1);
  copy[text.length < sizeof copy ? text.length : sizeof copy - 1] = '\0';
  int used = 0;
  if ((copy[k] == 'e' || copy[k] == 'E') && sscanf(copy + k + 1, "%d%n", &exponent, &used) == 1) {
    k += 1 + (size_t)used;
    n->whole = false;
  }
  copy[k] = '\0';
  n->value = strtod(copy, NULL);
  n->unit = n->whole ? 0.0 : pow(10.0, exponent - places);
  n->length = k;
  return true;
}

/* Is what follows a number a time of the clock: "0.13 s"? */
static bool in_seconds(span rest) {
  return begins(rest, " s") && (rest.length == 2 || !isalnum((unsigned char)rest.text[2]));
}

static bool same_number(const number *shown, const number *found, line_kind kind) {
  double a = shown->value, b = found->value;
  if (kind == NUMERICS && shown->whole) {
    if (a == 0.0 || b == 0.0) return a == b;
    return b <= 2.0 * a + 2.0 && a <= 2.0 * b + 2.0;
  }
  if (shown->whole && found->whole) return a == b;
  return fabs(a - b) <= 2.0 * shown->unit + 1e-7 * fabs(a) + 1e-9;
}

/* Skips what does not count: white space. */
static span skipped(span text, bool *space) {
  *space = text.length > 0 && isspace((unsigned char)text.text[0]);
  while (text.length > 0 && isspace((unsigned char)text.text[0])) text.text++, text.length--;
  return text;
}

static span after(span text, size_t n) {
  return (span){text.text + n, text.length - n};
}

static bool same_line(span shown, span found) {
  shown = trimmed(shown), found = trimmed(found);
  line_kind kind = kind_of(shown);
  if (kind == TIMES) return kind_of(found) == TIMES;
  bool word = false; /* inside one: x2 is no number */
  while (shown.length > 0 && found.length > 0) {
    number a, b;
    bool space_a, space_b;
    shown = skipped(shown, &space_a), found = skipped(found, &space_b);
    if (space_a != space_b) return false;
    word = word && !space_a;
    if (!word && read_number(shown, &a) && read_number(found, &b)) {
      shown = after(shown, a.length), found = after(found, b.length);
      if (!in_seconds(shown) && !same_number(&a, &b, kind)) return false;
      continue;
    }
    if (shown.text[0] != found.text[0]) return false;
    word = isalnum((unsigned char)shown.text[0]) || shown.text[0] == '_';
    shown = after(shown, 1), found = after(found, 1);
  }
  return shown.length == 0 && found.length == 0;
}

/* The shown lines against the found ones; *reached: the furthest shown text that fitted. */
static bool same_lines(const char *shown, const char *found, const char **reached) {
  if (shown > *reached) *reached = shown;
  while (*shown != '\0') {
    span line = next_line(&shown);
    if (is(trimmed(line), anything)) {
      for (;; next_line(&found)) {
        if (same_lines(shown, found, reached)) return true;
        if (*found == '\0') return false;
      }
    }
    if (*found == '\0' || !same_line(line, next_line(&found))) return false;
    if (shown > *reached) *reached = shown;
  }
  return *found == '\0';
}

bool session_same(const char *shown, const char *found) {
  const char *reached = shown;
  return same_lines(shown, found, &reached);
}

/* ---- playing ---- */

typedef struct player {
  session *s;
  FILE *renewed; /* or NULL */
  size_t line;   /* of the page */
  int exit;      /* of the last command */
  char needs[512];
} player;

static void complain(player *p, const char *text) {
  p->s->complaints++;
  p->s->say(text, p->s->user);
}

static void keep(player *p, span line) {
  if (p->renewed != NULL) fprintf(p->renewed, "%.*s\n", (int)line.length, line.text);
}

/* In the session's directory, as a reader would: brink is in the PATH, machine code is cached. Whatever else
 * the page starts (Octave, Python) finds a home of its own there: nothing of the user's is read, no history is
 * written to it, and it makes no difference whether it exists. */
static int run(player *p, const char *command, const char *output) {
  const char *slash = strrchr(p->s->program, '/');
  int folder = slash != NULL ? (int)(slash - p->s->program) : 0;
  size_t size = strlen(command) + strlen(p->s->directory) + (size_t)folder + 1024;
  char *line = malloc(size);
  if (line == NULL) exit(1);
  snprintf(line, size,
           "cd '%s' || exit 99\n"
           "PATH='%.*s':/usr/bin:\"$PATH\" BRINK_CACHE=$PWD/.cache COLUMNS=100 LC_ALL=C.UTF-8\n"
           "HOME=$PWD/.home OCTAVE_HISTFILE=$PWD/.home/octave-history PYTHONNOUSERSITE=1\n"
           "export PATH BRINK_CACHE COLUMNS LC_ALL HOME OCTAVE_HISTFILE PYTHONNOUSERSITE\n"
           "unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME PYTHONSTARTUP\n"
           "exec >'%s' 2>&1 </dev/null\n"
           "(exit %d)\n%s\n",
           p->s->directory, folder, p->s->program, output, p->exit, command);
  int status = system(line);
  free(line);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What the command printed, from malloc. */
static char *output_of(player *p, const char *command) {
  char path[512];
  p->exit = run(p, command, ".output");
  snprintf(path, sizeof path, "%s/.output", p->s->directory);
  char *found = read_whole_file(path, NULL);
  return found != NULL ? found : calloc(1, 1);
}

static size_t count_lines(const char *text) {
  size_t n = 0;
  while (*text != '\0') next_line(&text), n++;
  return n;
}

/* The next of the lines that begins with the same word. */
static bool find_like(span shown, const char **found, span *line) {
  shown = trimmed(shown);
  size_t n = 0;
  while (n < shown.length && !isspace((unsigned char)shown.text[n])) n++;
  for (const char *at = *found; *at != '\0';) {
    span candidate = next_line(&at), text = trimmed(candidate);
    if (n == 0 || text.length < n || strncmp(text.text, shown.text, n) != 0) continue;
    *line = candidate;
    *found = at;
    return true;
  }
  return false;
}

/* The found lines in the place of the shown ones: as many as before the first `…`; behind it, those
 * that begin alike. */
static void renew(player *p, const char *shown, const char *found) {
  bool parted = false;
  while (*shown != '\0') {
    span line = next_line(&shown), like;
    if (is(trimmed(line), anything)) {
      parted = true;
      keep(p, line);
    } else if (parted) {
      if (find_like(line, &found, &like)) keep(p, like);
    } else if (*found != '\0') {
      keep(p, next_line(&found));
    }
  }
  while (!parted && *found != '\0') keep(p, next_line(&found));
}

static void play_command(player *p, const char *command, const char *shown, size_t line) {
  char *found = output_of(p, command);
  const char *reached = shown;
  p->s->commands++;
  p->s->lines += count_lines(shown);
  if (!same_lines(shown, found, &reached)) {
    size_t size = strlen(found) + strlen(command) + 1024;
    char *text = malloc(size);
    if (text == NULL) exit(1);
    snprintf(text, size, "%s:%zu: `%s` does not print `%.*s`; it prints\n%s", p->s->page, line,
             command, (int)strcspn(reached, "\n"), reached, found);
    complain(p, text);
    free(text);
  }
  if (p->renewed != NULL) renew(p, shown, found);
  free(found);
}

static char *joined(char *text, span line) {
  size_t old = text != NULL ? strlen(text) : 0;
  char *longer = realloc(text, old + line.length + 2);
  if (longer == NULL) exit(1);
  memcpy(longer + old, line.text, line.length);
  memcpy(longer + old + line.length, "\n", 2);
  return longer;
}

static bool met(player *p) {
  if (p->needs[0] == '\0') return true;
  int before = p->exit;
  bool good = run(p, p->needs, ".needs") == 0;
  p->exit = before;
  return good;
}

/* One command with its output; *text stands behind "$ COMMAND", and is moved behind the output. */
static void play_one(player *p, span line, const char **text, bool played) {
  size_t begins_at = p->line;
  char *command = joined(NULL, after(line, 2)), *shown = calloc(1, 1);
  keep(p, line);
  while (line.length > 0 && line.text[line.length - 1] == '\\' && **text != '\0') {
    line = next_line(text), p->line++;
    command = joined(command, line);
    keep(p, line);
  }
  while (**text != '\0' && strncmp(*text, "$ ", 2) != 0 && strncmp(*text, "```", 3) != 0)
    shown = joined(shown, next_line(text)), p->line++;
  command[strlen(command) - 1] = '\0';
  if (played) {
    play_command(p, command, shown, begins_at);
  } else {
    p->s->skipped++;
    if (p->renewed != NULL) fputs(shown, p->renewed);
  }
  free(command);
  free(shown);
}

static void play_console(player *p, const char **text) {
  bool played = met(p);
  p->needs[0] = '\0';
  while (**text != '\0') {
    span line = next_line(text);
    p->line++;
    if (begins(line, "$ ")) {
      play_one(p, line, text, played);
    } else {
      keep(p, line);
      if (begins(line, "```")) return;
      complain(p, "a console block begins with a command");
    }
  }
}

/* "```kind NAME": the block is a file. */
static void write_block(player *p, const char *name, const char **text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", p->s->directory, name);
  FILE *file = fopen(path, "w");
  if (file == NULL) complain(p, path);
  p->s->files++;
  while (**text != '\0') {
    span line = next_line(text);
    p->line++;
    keep(p, line);
    if (begins(line, "```")) break;
    if (file != NULL) fprintf(file, "%.*s\n", (int)line.length, line.text);
  }
  if (file != NULL) fclose(file);
}

/* Other blocks show things, and are left alone. */
static void skip_block(player *p, const char **text) {
  while (**text != '\0') {
    span line = next_line(text);
    p->line++;
    keep(p, line);
    if (begins(line, "```")) return;
  }
}

static void play_line(player *p, span line, const char **text) {
  char name[128];
  keep(p, line);
  if (begins(line, "<!-- needs: ")) {
    size_t n = line.length > 16 ? line.length - 16 : 0; /* without " -->" */
    snprintf(p->needs, sizeof p->needs, "%.*s", (int)n, line.text + 12);
  } else if (is(line, "```console")) {
    play_console(p, text);
  } else if (begins(line, "```")) {
    int given = sscanf(line.text, "```%*[a-z] %127[A-Za-z0-9_.-]", name);
    bool is_file = given == 1 && memchr(line.text, ' ', line.length) != NULL;
    if (is_file)
      write_block(p, name, text);
    else
      skip_block(p, text);
  }
}

void session_play(session *s, const char *text, char **renewed) {
  player p = {.s = s};
  char command[1024];
  size_t size;
  snprintf(command, sizeof command, "rm -rf '%s' && mkdir -p '%s/.home'", s->directory,
           s->directory);
  if (system(command) != 0) complain(&p, "no directory to play in");
  if (renewed != NULL) p.renewed = open_memstream(renewed, &size);
  while (*text != '\0') {
    span line = next_line(&text);
    p.line++;
    play_line(&p, line, &text);
  }
  if (p.renewed != NULL) fclose(p.renewed);
}
