/* keep.c: which quantities of a model are recorded: names and patterns of them, or the usual ones.
 *
 * A pattern is a name in which * stands for any characters. An index may be a range or a *: car[1..5].x, car[*].x; an
 * index that is left out may be any. A pattern that ends with ' means derivatives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/ast.h"
#include "run/keep.h"

enum {
  USUAL = 1000,    /* columns: with more, variables and inputs are left out */
  NAMES_SHOWN = 3, /* of what was left out */
  LONGEST = 200,   /* characters of a pattern that a message shows */
};

/* ---- one pattern ---- */

/* "[1..5,*]" at p against "[3,7]" at n: moves both behind it. */
static bool match_indices(const char **p, const char **n) {
  const char *a = *p + 1, *b = *n + 1;
  for (;;) {
    char *end;
    unsigned long index = strtoul(b, &end, 10);
    b = end;
    if (*a == '*') {
      a++;
    } else {
      if (*a < '0' || *a > '9') return false;
      unsigned long low = strtoul(a, &end, 10), high = low;
      a = end;
      if (a[0] == '.' && a[1] == '.') {
        if (a[2] < '0' || a[2] > '9') return false;
        high = strtoul(a + 2, &end, 10);
        a = end;
      }
      if (index < low || index > high) return false;
    }
    if (*a != *b) return false;
    if (*a == ']') break;
    if (*a != ',') return false;
    a++, b++;
  }
  *p = a + 1;
  *n = b + 1;
  return true;
}

bool brink_pattern_matches(const char *pattern, size_t length, const char *name) {
  const char *p = pattern, *end = pattern + length, *n = name;
  const char *star = NULL, *behind = NULL; /* the last star, and where what it stands for ends */
  for (;;) {
    if (p < end && *p == '*') {
      star = p++;
      behind = n;
      continue;
    }
    if (p == end && *n == '\0') return true;
    bool both = p < end && *p == '[' && *n == '[';
    if (both && match_indices(&p, &n)) continue;
    if (!both && p < end && *n != '\0' && *p == *n) {
      p++, n++;
      continue;
    }
    if (!both && *n == '[') { /* an index that the pattern leaves out */
      n += strcspn(n, "]");
      n += *n == ']';
      continue;
    }
    if (star == NULL || *behind == '\0') return false;
    n = ++behind;
    p = star + 1;
  }
}

/* ---- a list of patterns ---- */

typedef struct pattern {
  const char *text;
  size_t length;
  bool derivatives; /* it ends with ' */
  bool everything;  /* its last name is *: what changes, not parameters and flags */
  bool indices;     /* it has some: elements are told apart */
  bool matched;
} pattern;

/* For a name that nothing has: the one that is nearest. */
typedef struct search {
  enum { WHOLE_NAMES, PATHS, LAST_NAMES } among; /* of "a.h", "a.*", "*.h" */
  char wanted[LONGEST + 1];
  brink_text best;
  bool near; /* `best` is near, not only in another place */
} search;

typedef struct keeper {
  const brink_system *system;
  const brink_keeping *keeping;
  brink_columns *columns;
  pattern *patterns;
  size_t npatterns, capacity;
  bool usual;       /* no patterns of what to keep: as usual */
  bool leaves_out;  /* … but not all of it: there is too much */
  bool failed;      /* out of memory */
  uint32_t *chosen; /* room for elements */
  size_t chosen_room;
  search search;
  brink_text name;
} keeper;

static pattern read_pattern(const char *text, size_t length) {
  while (length > 0 && text[0] == ' ') text++, length--;
  while (length > 0 && text[length - 1] == ' ') length--;
  bool star = length > 0 && text[length - 1] == '*';
  return (pattern){.text = text,
                   .length = length,
                   .derivatives = length > 0 && text[length - 1] == '\'',
                   .everything = star && (length == 1 || text[length - 2] == '.'),
                   .indices = memchr(text, '[', length) != NULL};
}

static void add_pattern(keeper *k, const char *text, size_t length) {
  pattern *made = brink_arena_push(&k->columns->arena, k->patterns, k->npatterns, k->capacity);
  k->failed = k->failed || made == NULL;
  if (made == NULL) return;
  *made = read_pattern(text, length);
}

/* Patterns are separated by commas outside of brackets. */
static void add_patterns(keeper *k, const char *list) {
  const char *from = list;
  bool inside = false;
  for (const char *c = list;; c++) {
    if (*c == '[') inside = true;
    if (*c == ']') inside = false;
    if (*c != '\0' && (*c != ',' || inside)) continue;
    add_pattern(k, from, (size_t)(c - from));
    if (*c == '\0') return;
    from = c + 1;
  }
}

/* ---- what there is ---- */

/* Something that may become columns. */
typedef struct candidate {
  brink_look look;
  uint32_t variable;
  brink_variable_kind kind; /* of a variable or an alias */
  bool constant;
} candidate;

static bool is_connected(const brink_system *system, const brink_variable *input) {
  for (size_t k = 0; k < system->naliases; k++) {
    const brink_variable *as = &system->aliases[k].as;
    if (as->group == input->group && strcmp(as->name, input->name) == 0) return true;
  }
  return false;
}

/* Where agents have clocks of their own, only what is declared is at hand. */
static bool is_at_hand(const keeper *k, const brink_alias *alias) {
  if (!k->keeping->agents || alias->as.space != BRINK_SPACE_V) return true;
  size_t slot = alias->slots != NULL ? alias->slots[0] : alias->as.base;
  for (uint32_t v = 0; v < k->system->nvariables; v++) {
    const brink_variable *variable = &k->system->variables[v];
    size_t count = brink_columns_elements(k->system, BRINK_LOOK_VARIABLE, v);
    if (variable->space == BRINK_SPACE_V && variable->kind != BRINK_VARIABLE_HIDDEN &&
        slot >= variable->base && slot - variable->base < count)
      return true;
  }
  return false;
}

typedef void visit_fn(keeper *k, const candidate *c);

static void visit_kind(keeper *k, brink_variable_kind kind, bool constants, visit_fn *visit) {
  const brink_system *system = k->system;
  for (uint32_t v = 0; v < system->nvariables; v++) {
    const brink_variable *variable = &system->variables[v];
    if (variable->kind != kind || brink_variable_is_constant(system, v) != constants) continue;
    if (kind == BRINK_VARIABLE_INPUT && is_connected(system, variable)) continue;
    visit(k, &(candidate){BRINK_LOOK_VARIABLE, v, kind, constants});
  }
}

static void visit_derivatives(keeper *k, visit_fn *visit) {
  const brink_system *system = k->system;
  for (uint32_t v = 0; v < system->nvariables && !k->keeping->switches; v++) {
    const brink_variable *variable = &system->variables[v];
    if (variable->kind == BRINK_VARIABLE_STATE && variable->space == BRINK_SPACE_X &&
        !variable->unknown)
      visit(k, &(candidate){BRINK_LOOK_DERIVATIVE, v, BRINK_VARIABLE_STATE, false});
  }
}

static void visit_flags(keeper *k, visit_fn *visit) {
  const brink_system *system = k->system;
  for (uint32_t f = 0; f < system->nflags && !k->keeping->agents; f++) {
    const brink_flag *flag = &system->flags[f];
    bool named = flag->kind == BRINK_FLAG_DECLARED || flag->kind == BRINK_FLAG_GENERATED;
    if (named && !flag->is_pair && flag->guard != NULL)
      visit(k, &(candidate){BRINK_LOOK_FLAG, f, BRINK_VARIABLE_HIDDEN, false});
  }
}

/* In the order of the columns: what holds still comes last. */
static void visit_all(keeper *k, visit_fn *visit) {
  visit_kind(k, BRINK_VARIABLE_STATE, false, visit);
  visit_kind(k, BRINK_VARIABLE_MODE, false, visit);
  visit_kind(k, BRINK_VARIABLE_OUTPUT, false, visit);
  visit_kind(k, BRINK_VARIABLE_INPUT, false, visit);
  for (uint32_t a = 0; a < k->system->naliases; a++) {
    if (is_at_hand(k, &k->system->aliases[a]))
      visit(k, &(candidate){BRINK_LOOK_ALIAS, a, BRINK_VARIABLE_INPUT, false});
  }
  visit_kind(k, BRINK_VARIABLE_AUXILIARY, false, visit);
  visit_derivatives(k, visit);
  visit_flags(k, visit);
  visit_kind(k, BRINK_VARIABLE_PARAMETER, true, visit);
  visit_kind(k, BRINK_VARIABLE_INPUT, true, visit);
}

/* ---- choosing ---- */

static const char *name_of(keeper *k, const candidate *c, size_t element) {
  k->name.length = 0;
  brink_look_name(k->system, c->look, c->variable, element, &k->name);
  k->failed = k->failed || k->name.failed;
  return k->name.data != NULL ? k->name.data : "";
}

/* May the pattern mean such a thing at all? */
static bool concerns(const pattern *p, const candidate *c) {
  if (p->derivatives) return c->look == BRINK_LOOK_DERIVATIVE;
  if (c->look == BRINK_LOOK_DERIVATIVE) return false;
  return !p->everything || (c->look != BRINK_LOOK_FLAG && !c->constant);
}

bool brink_pattern_means(const char *text, size_t length, const brink_columns *columns,
                         const brink_tracked *tracked, const char *name) {
  pattern p = read_pattern(text, length);
  bool constant = tracked->look == BRINK_LOOK_VARIABLE &&
                  brink_variable_is_constant(columns->system, tracked->variable);
  candidate c = {tracked->look, tracked->variable, tracked->as->kind, constant};
  return concerns(&p, &c) && brink_pattern_matches(p.text, p.length, name);
}

/* What is recorded where nobody says what: states, modes, outputs always; what else changes, if there is room. A
 * connected input is there by the name of what it is connected to. */
static bool is_usual(const candidate *c, bool *essential) {
  *essential = c->kind == BRINK_VARIABLE_STATE || c->kind == BRINK_VARIABLE_MODE ||
               c->kind == BRINK_VARIABLE_OUTPUT;
  return c->look == BRINK_LOOK_VARIABLE && !c->constant;
}

static void mention(keeper *k, const candidate *c) {
  brink_columns *columns = k->columns;
  brink_text text = {0}, bare = {0};
  size_t before = columns->left_out,
         count = brink_columns_elements(k->system, c->look, c->variable);
  columns->left_out += count;
  size_t shown = 0;
  const char *names = columns->left_names != NULL ? columns->left_names : "";
  for (const char *s = names; *s != '\0'; s++) shown += *s == ',';
  if (before > 0) shown++;
  if (shown > NAMES_SHOWN || count == 0) return;
  brink_bare_name(name_of(k, c, 0), &bare);
  brink_text_add(&text, "%s%s%s", names, before > 0 ? ", " : "",
                 shown == NAMES_SHOWN ? "…"
                 : bare.data != NULL  ? bare.data
                                      : "");
  columns->left_names =
      text.data != NULL ? brink_arena_text(&columns->arena, text.data) : columns->left_names;
  k->failed = k->failed || text.failed || bare.failed;
  brink_text_free(&text);
  brink_text_free(&bare);
}

static bool is_chosen_usually(const keeper *k, const candidate *c) {
  bool essential;
  return k->usual && is_usual(c, &essential) && (essential || !k->leaves_out);
}

/* Those elements that some pattern means, into k->chosen. */
static size_t choose_elements(keeper *k, const candidate *c, size_t count, bool all) {
  size_t chosen = 0;
  for (size_t e = 0; e < count; e++) {
    bool meant = all;
    const char *name = NULL;
    for (size_t i = 0; i < k->npatterns; i++) {
      pattern *p = &k->patterns[i];
      if (!concerns(p, c) || (e > 0 && !p->indices)) continue;
      if (name == NULL) name = name_of(k, c, e);
      if (!brink_pattern_matches(p->text, p->length, name)) continue;
      p->matched = true;
      meant = true;
      if (!p->indices) all = true; /* of the others, too */
    }
    if (meant) k->chosen[chosen++] = (uint32_t)e;
  }
  return chosen;
}

static void choose(keeper *k, const candidate *c) {
  size_t count = brink_columns_elements(k->system, c->look, c->variable);
  if (k->failed || count == 0) return;
  if (count > k->chosen_room) {
    k->chosen = brink_arena_pack(&k->columns->arena, count, sizeof *k->chosen);
    k->chosen_room = k->chosen != NULL ? count : 0;
    k->failed = k->chosen == NULL;
    if (k->failed) return;
  }
  bool usually = is_chosen_usually(k, c) || k->keeping->all, essential;
  size_t chosen = choose_elements(k, c, count, usually);
  if (chosen == 0 && k->usual && is_usual(c, &essential)) mention(k, c);
  if (chosen == 0) return;
  uint32_t *elements = NULL;
  if (chosen < count) {
    elements = brink_arena_copy(&k->columns->arena, k->chosen, chosen, sizeof *elements);
    k->failed = k->failed || elements == NULL;
  }
  if (!brink_columns_add(k->columns, c->look, c->variable, elements, chosen)) k->failed = true;
}

static void count_usual(keeper *k, const candidate *c) {
  bool essential;
  if (is_usual(c, &essential))
    k->columns->count += brink_columns_elements(k->system, c->look, c->variable);
}

/* ---- messages ---- */

/* The part of a name that is compared; cut to it. */
static const char *part_of(const search *s, char *name) {
  char *dot = strrchr(name, '.');
  if (s->among == PATHS && dot == NULL) return "";
  if (s->among == PATHS) *dot = '\0';
  return s->among == LAST_NAMES && dot != NULL ? dot + 1 : name;
}

static void look_for(keeper *k, const candidate *c) {
  search *s = &k->search;
  brink_text bare = {0};
  if (brink_columns_elements(k->system, c->look, c->variable) == 0) return;
  brink_bare_name(name_of(k, c, 0), &bare);
  const char *part = bare.data != NULL ? part_of(s, bare.data) : "";
  bool better = brink_nearest(s->wanted, part, s->near ? s->best.data : NULL) == part;
  const char *tail = strrchr(part, '.'), *last = strrchr(s->wanted, '.');
  bool inner = s->among == WHOLE_NAMES && s->best.length == 0 && tail != NULL &&
               strcmp(tail + 1, last != NULL ? last + 1 : s->wanted) == 0;
  if (part[0] != '\0' && (better || inner)) {
    s->near = s->near || better;
    s->best.length = 0;
    brink_text_add(&s->best, "%s", part);
  }
  brink_text_free(&bare);
}

/* "; did you mean 'plant.*'?" */
static void suggest(keeper *k, const char *text, brink_text *problem) {
  search *s = &k->search;
  size_t length = strlen(text);
  bool below = length > 2 && strcmp(text + length - 2, ".*") == 0;
  bool anywhere = strncmp(text, "*.", 2) == 0;
  s->among = below ? PATHS : anywhere ? LAST_NAMES : WHOLE_NAMES;
  snprintf(s->wanted, sizeof s->wanted, "%.*s", (int)(length - (below ? 2 : 0)),
           text + (anywhere && !below ? 2 : 0));
  if (strchr(s->wanted, '*') != NULL || s->wanted[0] == '\0') return;
  visit_all(k, look_for);
  if (s->best.length > 0)
    brink_text_add(problem, "; did you mean '%s%s%s'?", s->among == LAST_NAMES ? "*." : "",
                   s->best.data, below ? ".*" : "");
  brink_text_free(&s->best);
}

/* Something that would have a column in another run? */
static const char *without_column(const keeper *k, const pattern *p) {
  brink_text name = {0};
  const char *why = NULL;
  if (p->derivatives && k->keeping->switches)
    why = "agents with clocks of their own keep no derivatives if their field switches: --clocks "
          "one";
  for (uint32_t f = 0; f < k->system->nflags && why == NULL; f++) {
    const brink_flag *flag = &k->system->flags[f];
    bool hidden = flag->is_pair || k->keeping->agents;
    if (flag->kind != BRINK_FLAG_DECLARED || !hidden || flag->count == 0) continue;
    name.length = 0;
    brink_system_flag_name(k->system, f, 0, &name);
    if (name.data == NULL || !brink_pattern_matches(p->text, p->length, name.data)) continue;
    why = flag->is_pair ? "the flags of pairs have no columns"
                        : "agents with clocks of their own keep no values of flags: --clocks one";
  }
  brink_text_free(&name);
  return why;
}

static void complain(keeper *k, const pattern *p, brink_text *problem) {
  brink_text bare = {0};
  char wanted[LONGEST + 1];
  int shown = p->length < LONGEST ? (int)p->length : LONGEST;
  snprintf(wanted, sizeof wanted, "%.*s", shown, p->text);
  if (p->length == 0)
    brink_text_add(problem, "a name is missing");
  else
    brink_text_add(problem, "there is no '%s'", wanted);
  const char *why = p->length > 0 ? without_column(k, p) : NULL;
  brink_bare_name(wanted, &bare);
  if (why != NULL)
    brink_text_add(problem, ": %s", why);
  else if (bare.length > 0)
    suggest(k, bare.data, problem);
  brink_text_free(&bare);
}

/* ---- all of it ---- */

brink_status brink_columns_init_kept(brink_columns *columns, const brink_system *system,
                                     const brink_keeping *keeping, const brink_computed *computed,
                                     brink_text *problem) {
  brink_columns_begin(columns, system, computed, NULL);
  keeper k = {
      .system = system, .keeping = keeping, .columns = columns, .usual = keeping->patterns == NULL};
  if (k.usual) visit_all(&k, count_usual);
  k.leaves_out = columns->count > USUAL;
  columns->count = 0;
  if (keeping->patterns != NULL) add_patterns(&k, keeping->patterns);
  if (keeping->also != NULL) add_patterns(&k, keeping->also);
  if (!k.failed) visit_all(&k, choose);
  bool fine = !k.failed;
  for (size_t i = 0; i < k.npatterns && fine && problem != NULL; i++) {
    if (k.patterns[i].matched) continue;
    complain(&k, &k.patterns[i], problem);
    fine = false;
  }
  brink_text_free(&k.name);
  if (fine) return BRINK_OK;
  brink_columns_free(columns);
  return k.failed ? BRINK_ERR_MEMORY : BRINK_ERR_ARGUMENT;
}
