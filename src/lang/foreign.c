/* foreign.c: words of other languages, and how HSML says them. */
#include "lang/foreign.h"

#include <string.h>

/* ---- the table ---- */

typedef struct foreign_word {
  brink_foreign_place place;
  const char *word; /* in lower case */
  const char *hint;
} foreign_word;

#define SATURATION "a saturation is written min(max(x, lo), hi)"
#define INTEGRAL "an integral is a state: declare state(z, real); and write z' = ...;"
#define DERIVATIVE "the derivative of a state is written x'"
#define STEP "a step is written if t >= 1.0 then 1.0 else 0.0"
#define LENGTH "the number of elements is written size(x)"
#define EDGE "a flag has events, a rule fires when its condition becomes true: 'when c do'"
#define DRAW_UNIFORM "write uniform(lo, hi)"
#define DRAW_NORMAL "write normal(mean, sd)"
#define LOOKUP "a table is written table(u, [x1, x2], [y1, y2])"
#define TO_INTEGER "write floor(x)"
#define TO_REAL "an integer becomes a real by itself: leave it out"
#define NO_VALUE "every quantity has a value: there is none for 'nothing'"
#define STOP_RUN "write stop(\"...\"), or fail(\"...\") if it is an error"
#define NOTE "write note(\"label\", x)"
#define DECLARE "names are declared in 'declarations': variable(z, real);"
#define CHOICE "a choice is written 'if ... then ... elsif ... else ... end if;'"
#define LOOP "a loop is written 'for i in 1..n loop ... end loop;'"
#define CONSTANT "a constant is a parameter: parameter(g, real); and in assignments g : 9.81;"
#define DECLARED "declarations are written kind(name, type): state(x, real); parameter(k, real);"
#define DISCRETE "in a ctc, a state of type integer, boolean or string changes at events only"
#define DYNAMICS                                                                                   \
  "differential equations stand in 'dynamics', equations between formulas in 'constraints'"
#define ACTIONS "assignments stand in 'update' of a dtc, in rules of an lbc, in events of a ctc"
#define DECLARATIONS "declare it in 'declarations', and give it a value in 'assignments'"
#define INTERFACE "inputs, outputs, knobs and views are declared in 'interface'"
#define KINDS                                                                                      \
  "with differential equations it is a 'ctc', sampled a 'dtc', with rules an 'lbc', with parts a " \
  "'composite' or 'system'"
#define IMPORT "write import \"file.hsml\";"
#define FUNCTION "write function f(x) = ...;"

static const foreign_word words[] = {
    {BRINK_FOREIGN_FUNCTION, "ln", "the natural logarithm is written log(x)"},
    {BRINK_FOREIGN_FUNCTION, "log2", "write log(x)/log(2)"},
    {BRINK_FOREIGN_FUNCTION, "lg", "the logarithm to base 10 is written log10(x)"},
    {BRINK_FOREIGN_FUNCTION, "log1p", "write log(1 + x)"},
    {BRINK_FOREIGN_FUNCTION, "expm1", "write exp(x) - 1"},
    {BRINK_FOREIGN_FUNCTION, "exp2", "write 2^x"},
    {BRINK_FOREIGN_FUNCTION, "power", "powers are written x^2"},
    {BRINK_FOREIGN_FUNCTION, "pow", "powers are written x^2"},
    {BRINK_FOREIGN_FUNCTION, "sqr", "write x^2"},
    {BRINK_FOREIGN_FUNCTION, "square", "write x^2"},
    {BRINK_FOREIGN_FUNCTION, "cbrt", "write x^(1/3)"},
    {BRINK_FOREIGN_FUNCTION, "round", "write floor(x + 0.5)"},
    {BRINK_FOREIGN_FUNCTION, "rint", "write floor(x + 0.5)"},
    {BRINK_FOREIGN_FUNCTION, "trunc", "write if x < 0 then ceil(x) else floor(x)"},
    {BRINK_FOREIGN_FUNCTION, "fix", "write if x < 0 then ceil(x) else floor(x)"},
    {BRINK_FOREIGN_FUNCTION, "int", TO_INTEGER},
    {BRINK_FOREIGN_FUNCTION, "integer", TO_INTEGER},
    {BRINK_FOREIGN_FUNCTION, "float", TO_REAL},
    {BRINK_FOREIGN_FUNCTION, "double", TO_REAL},
    {BRINK_FOREIGN_FUNCTION, "real", TO_REAL},
    {BRINK_FOREIGN_FUNCTION, "bool", "write n /= 0"},
    {BRINK_FOREIGN_FUNCTION, "boolean", "write n /= 0"},
    {BRINK_FOREIGN_FUNCTION, "saturate", SATURATION},
    {BRINK_FOREIGN_FUNCTION, "saturation", SATURATION},
    {BRINK_FOREIGN_FUNCTION, "sat", SATURATION},
    {BRINK_FOREIGN_FUNCTION, "clip", SATURATION},
    {BRINK_FOREIGN_FUNCTION, "clamp", SATURATION},
    {BRINK_FOREIGN_FUNCTION, "limit", SATURATION},
    {BRINK_FOREIGN_FUNCTION, "limiter", SATURATION},
    {BRINK_FOREIGN_FUNCTION, "fabs", "write abs(x)"},
    {BRINK_FOREIGN_FUNCTION, "fmin", "write min(a, b)"},
    {BRINK_FOREIGN_FUNCTION, "fmax", "write max(a, b)"},
    {BRINK_FOREIGN_FUNCTION, "rem", "write mod(a, b): it has the sign of b"},
    {BRINK_FOREIGN_FUNCTION, "fmod", "write mod(a, b): it has the sign of b"},
    {BRINK_FOREIGN_FUNCTION, "remainder", "write mod(a, b): it has the sign of b"},
    {BRINK_FOREIGN_FUNCTION, "arcsin", "write asin(x)"},
    {BRINK_FOREIGN_FUNCTION, "arccos", "write acos(x)"},
    {BRINK_FOREIGN_FUNCTION, "arctan", "write atan(x)"},
    {BRINK_FOREIGN_FUNCTION, "arctan2", "write atan2(y, x)"},
    {BRINK_FOREIGN_FUNCTION, "asinh", "write log(x + sqrt(x^2 + 1))"},
    {BRINK_FOREIGN_FUNCTION, "acosh", "write log(x + sqrt(x^2 - 1))"},
    {BRINK_FOREIGN_FUNCTION, "atanh", "write 0.5*log((1 + x)/(1 - x))"},
    {BRINK_FOREIGN_FUNCTION, "sec", "write 1/cos(x)"},
    {BRINK_FOREIGN_FUNCTION, "csc", "write 1/sin(x)"},
    {BRINK_FOREIGN_FUNCTION, "cot", "write 1/tan(x)"},
    {BRINK_FOREIGN_FUNCTION, "deg2rad", "write x*pi/180"},
    {BRINK_FOREIGN_FUNCTION, "radians", "write x*pi/180"},
    {BRINK_FOREIGN_FUNCTION, "rad2deg", "write x*180/pi"},
    {BRINK_FOREIGN_FUNCTION, "degrees", "write x*180/pi"},
    {BRINK_FOREIGN_FUNCTION, "signum", "write sign(x)"},
    {BRINK_FOREIGN_FUNCTION, "mean", "write sum(x)/n"},
    {BRINK_FOREIGN_FUNCTION, "average", "write sum(x)/n"},
    {BRINK_FOREIGN_FUNCTION, "length", LENGTH},
    {BRINK_FOREIGN_FUNCTION, "len", LENGTH},
    {BRINK_FOREIGN_FUNCTION, "numel", LENGTH},
    {BRINK_FOREIGN_FUNCTION, "cross", "write out the three components"},
    {BRINK_FOREIGN_FUNCTION, "xor", "write a /= b"},
    {BRINK_FOREIGN_FUNCTION, "all", "combine them with 'and'"},
    {BRINK_FOREIGN_FUNCTION, "any", "combine them with 'or'"},
    {BRINK_FOREIGN_FUNCTION, "step", STEP},
    {BRINK_FOREIGN_FUNCTION, "heaviside", STEP},
    {BRINK_FOREIGN_FUNCTION, "unit_step", STEP},
    {BRINK_FOREIGN_FUNCTION, "edge", EDGE},
    {BRINK_FOREIGN_FUNCTION, "change", EDGE},
    {BRINK_FOREIGN_FUNCTION, "rising", EDGE},
    {BRINK_FOREIGN_FUNCTION, "falling", EDGE},
    {BRINK_FOREIGN_FUNCTION, "sample",
     "a dtc or an lbc runs at samples: declare sample(period, offset); in it"},
    {BRINK_FOREIGN_FUNCTION, "initial",
     "what happens at the start stands in the section 'initial'"},
    {BRINK_FOREIGN_FUNCTION, "noise", DRAW_NORMAL},
    {BRINK_FOREIGN_FUNCTION, "rand", DRAW_UNIFORM},
    {BRINK_FOREIGN_FUNCTION, "random", DRAW_UNIFORM},
    {BRINK_FOREIGN_FUNCTION, "randn", DRAW_NORMAL},
    {BRINK_FOREIGN_FUNCTION, "gauss", DRAW_NORMAL},
    {BRINK_FOREIGN_FUNCTION, "lookup", LOOKUP},
    {BRINK_FOREIGN_FUNCTION, "interp", LOOKUP},
    {BRINK_FOREIGN_FUNCTION, "interp1", LOOKUP},
    {BRINK_FOREIGN_FUNCTION, "smooth", "write noevent(x) where no event is wanted"},
    {BRINK_FOREIGN_FUNCTION, "semilinear", "write if x >= 0 then a*x else b*x"},
    {BRINK_FOREIGN_FUNCTION, "homotopy", "write its first argument alone"},
    {BRINK_FOREIGN_FUNCTION, "integrator", INTEGRAL},
    {BRINK_FOREIGN_FUNCTION, "integrate", INTEGRAL},
    {BRINK_FOREIGN_FUNCTION, "integral", INTEGRAL},
    {BRINK_FOREIGN_FUNCTION, "integ", INTEGRAL},
    {BRINK_FOREIGN_FUNCTION, "der", DERIVATIVE},
    {BRINK_FOREIGN_FUNCTION, "ddt", DERIVATIVE},
    {BRINK_FOREIGN_FUNCTION, "deriv", DERIVATIVE},
    {BRINK_FOREIGN_FUNCTION, "diff", DERIVATIVE},
    {BRINK_FOREIGN_FUNCTION, "derivative", DERIVATIVE},

    {BRINK_FOREIGN_NAME, "e", "Euler's number is written exp(1)"},
    {BRINK_FOREIGN_NAME, "m_pi", "write pi"},
    {BRINK_FOREIGN_NAME, "m_e", "Euler's number is written exp(1)"},
    {BRINK_FOREIGN_NAME, "infinity", "write inf"},
    {BRINK_FOREIGN_NAME, "none", NO_VALUE},
    {BRINK_FOREIGN_NAME, "null", NO_VALUE},
    {BRINK_FOREIGN_NAME, "nil", NO_VALUE},
    {BRINK_FOREIGN_NAME, "nan", NO_VALUE},
    {BRINK_FOREIGN_NAME, "undefined", NO_VALUE},
    {BRINK_FOREIGN_NAME, "s", "the integrator 1/s is a state: y' = u;"},
    {BRINK_FOREIGN_NAME, "math", "functions have no prefix: write sin(x), pi"},
    {BRINK_FOREIGN_NAME, "np", "functions have no prefix: write sin(x), pi"},
    {BRINK_FOREIGN_NAME, "numpy", "functions have no prefix: write sin(x), pi"},
    {BRINK_FOREIGN_NAME, "modelica", "functions have no prefix: write sin(x), pi"},

    {BRINK_FOREIGN_STATEMENT, "reinit", "a new value is assigned: v := ...;"},
    {BRINK_FOREIGN_STATEMENT, "terminate", STOP_RUN},
    {BRINK_FOREIGN_STATEMENT, "exit", STOP_RUN},
    {BRINK_FOREIGN_STATEMENT, "quit", STOP_RUN},
    {BRINK_FOREIGN_STATEMENT, "error", "write fail(\"...\")"},
    {BRINK_FOREIGN_STATEMENT, "raise", "write fail(\"...\")"},
    {BRINK_FOREIGN_STATEMENT, "assert",
     "in an action, write if not (...) then fail(\"...\"); end if; or declare a range"},
    {BRINK_FOREIGN_STATEMENT, "print", NOTE},
    {BRINK_FOREIGN_STATEMENT, "printf", NOTE},
    {BRINK_FOREIGN_STATEMENT, "disp", NOTE},
    {BRINK_FOREIGN_STATEMENT, "display", NOTE},
    {BRINK_FOREIGN_STATEMENT, "log", NOTE},
    {BRINK_FOREIGN_STATEMENT, "der", "write x' = ...;"},
    {BRINK_FOREIGN_STATEMENT, "var", DECLARE},
    {BRINK_FOREIGN_STATEMENT, "const", CONSTANT},
    {BRINK_FOREIGN_STATEMENT, "constant", CONSTANT},
    {BRINK_FOREIGN_STATEMENT, "local", DECLARE},
    {BRINK_FOREIGN_STATEMENT, "def", "functions stand before the components: function f(x) = ...;"},
    {BRINK_FOREIGN_STATEMENT, "set", "an assignment is written x := ...;"},
    {BRINK_FOREIGN_STATEMENT, "while", LOOP},
    {BRINK_FOREIGN_STATEMENT, "switch", CHOICE},
    {BRINK_FOREIGN_STATEMENT, "case", CHOICE},
    {BRINK_FOREIGN_STATEMENT, "match", CHOICE},
    {BRINK_FOREIGN_STATEMENT, "connect", "write connect(from, to);"},
    {BRINK_FOREIGN_STATEMENT, "on",
     "in a ctc, write event(flag) ... end event; in an lbc, 'when c do ... end when;'"},
    {BRINK_FOREIGN_STATEMENT, "foreach", LOOP},

    {BRINK_FOREIGN_DECLARATION, "var", "write state(z, real); or variable(z, real);"},
    {BRINK_FOREIGN_DECLARATION, "let", "write variable(z, real); and its equation in dynamics"},
    {BRINK_FOREIGN_DECLARATION, "const", CONSTANT},
    {BRINK_FOREIGN_DECLARATION, "constant", CONSTANT},
    {BRINK_FOREIGN_DECLARATION, "param", "did you mean 'parameter'?"},
    {BRINK_FOREIGN_DECLARATION, "discrete", DISCRETE},
    {BRINK_FOREIGN_DECLARATION, "array", "a vector is declared with its size: state(x[3], real);"},
    {BRINK_FOREIGN_DECLARATION, "vector", "a vector is declared with its size: state(x[3], real);"},
    {BRINK_FOREIGN_DECLARATION, "enum", "write mode(m, {\"a\", \"b\"});"},
    {BRINK_FOREIGN_DECLARATION, "enumeration", "write mode(m, {\"a\", \"b\"});"},
    {BRINK_FOREIGN_DECLARATION, "equation", DYNAMICS},
    {BRINK_FOREIGN_DECLARATION, "protected",
     "what is declared in 'body' is not visible from outside"},
    {BRINK_FOREIGN_DECLARATION, "public", "what the interface names is visible from outside"},

    {BRINK_FOREIGN_SECTION, "equation", DYNAMICS},
    {BRINK_FOREIGN_SECTION, "equations", DYNAMICS},
    {BRINK_FOREIGN_SECTION, "algorithm", ACTIONS},
    {BRINK_FOREIGN_SECTION, "algorithms", ACTIONS},
    {BRINK_FOREIGN_SECTION, "parameters", DECLARATIONS},
    {BRINK_FOREIGN_SECTION, "parameter", DECLARATIONS},
    {BRINK_FOREIGN_SECTION, "constants", CONSTANT},
    {BRINK_FOREIGN_SECTION, "variables",
     "declare it in 'declarations': state(x, real); variable(v, real);"},
    {BRINK_FOREIGN_SECTION, "states",
     "declare it in 'declarations': state(x, real); variable(v, real);"},
    {BRINK_FOREIGN_SECTION, "inputs", INTERFACE},
    {BRINK_FOREIGN_SECTION, "outputs",
     "outputs are declared in 'interface' and defined in 'output'"},
    {BRINK_FOREIGN_SECTION, "ports", INTERFACE},
    {BRINK_FOREIGN_SECTION, "derivatives", DYNAMICS},
    {BRINK_FOREIGN_SECTION, "on",
     "write event(flag) negative-going ... end negative-going; end event;"},
    {BRINK_FOREIGN_SECTION, "protected", "what is declared in 'body' is not visible from outside"},
    {BRINK_FOREIGN_SECTION, "public", "what the interface names is visible from outside"},
    {BRINK_FOREIGN_SECTION, "annotation",
     "leave it out; how to run stands in 'simulation' of a system"},

    {BRINK_FOREIGN_KIND, "model", KINDS},
    {BRINK_FOREIGN_KIND, "block", KINDS},
    {BRINK_FOREIGN_KIND, "class", KINDS},
    {BRINK_FOREIGN_KIND, "component", KINDS},
    {BRINK_FOREIGN_KIND, "module", KINDS},
    {BRINK_FOREIGN_KIND, "subsystem", KINDS},
    {BRINK_FOREIGN_KIND, "continuous", "did you mean 'ctc'?"},
    {BRINK_FOREIGN_KIND, "discrete", "did you mean 'dtc'?"},
    {BRINK_FOREIGN_KIND, "logic", "did you mean 'lbc'?"},
    {BRINK_FOREIGN_KIND, "connector",
     "named signals that connect as one are a bundle: bundle Pin is ... end Pin;"},
    {BRINK_FOREIGN_KIND, "record",
     "named signals that connect as one are a bundle: bundle Pin is ... end Pin;"},
    {BRINK_FOREIGN_KIND, "bus",
     "named signals that connect as one are a bundle: bundle Pin is ... end Pin;"},
    {BRINK_FOREIGN_KIND, "package",
     "a file holds any number of components: leave it out, and import the file"},

    {BRINK_FOREIGN_TOP, "include", IMPORT},
    {BRINK_FOREIGN_TOP, "using", IMPORT},
    {BRINK_FOREIGN_TOP, "from", IMPORT},
    {BRINK_FOREIGN_TOP, "within", "leave it out"},
    {BRINK_FOREIGN_TOP, "def", FUNCTION},
    {BRINK_FOREIGN_TOP, "func", FUNCTION},
    {BRINK_FOREIGN_TOP, "type",
     "there are no types of one's own: ranges and units stand in declarations"},
    {BRINK_FOREIGN_TOP, "const", CONSTANT},
    {BRINK_FOREIGN_TOP, "constant", CONSTANT},
    {BRINK_FOREIGN_TOP, "parameter", "parameters are declared inside components"},
};

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same(const char *name, const char *word) {
  while (*name != '\0' && lower(*name) == *word) name++, word++;
  return *name == '\0' && *word == '\0';
}

const char *brink_foreign_hint(brink_foreign_place place, const char *word) {
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
    if (words[k].place == place && is_same(word, words[k].word)) return words[k].hint;
  if (place == BRINK_FOREIGN_DECLARATION && brink_foreign_is_type(word)) return DECLARED;
  if (place == BRINK_FOREIGN_STATEMENT && brink_foreign_is_type(word)) return DECLARE;
  if (place == BRINK_FOREIGN_TOP) return brink_foreign_hint(BRINK_FOREIGN_KIND, word);
  return NULL;
}

bool brink_foreign_is_type(const char *word) {
  static const char *const types[] = {"real", "integer", "boolean", "string", "signal",
                                      "int",  "float",   "double",  "bool",   "auto"};
  for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
    if (is_same(word, types[k])) return true;
  return false;
}

/* ---- derivatives ---- */

static bool ends_in(const char *name, size_t length, const char *suffix) {
  size_t n = strlen(suffix);
  return length > n && memcmp(name + length - n, suffix, n) == 0;
}

bool brink_foreign_derivative(const char *name, char *state) {
  static const char *const suffixes[] = {"_dot", "dot", "_prime"};
  static const char *const prefixes[] = {"der_", "d_", "d"};
  size_t length = strlen(name);
  if (length > BRINK_NAME_LIMIT) return false;
  for (size_t k = 0; k < sizeof suffixes / sizeof suffixes[0]; k++) {
    if (!ends_in(name, length, suffixes[k])) continue;
    memcpy(state, name, length);
    state[length - strlen(suffixes[k])] = '\0';
    return true;
  }
  for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++) {
    size_t n = strlen(prefixes[k]);
    if (length <= n || memcmp(name, prefixes[k], n) != 0) continue;
    memcpy(state, name + n, length - n + 1);
    return true;
  }
  return false;
}

/* "x", "x[...]" of the state that a path ends in. */
static const char *path_text(brink_unit *unit, const brink_ast_expr *path) {
  const brink_ast_part *state = &path->part[path->nparts - 1];
  return brink_unit_format(unit, "%s%s", state->name, state->index != NULL ? "[...]" : "");
}

static bool is_name(const brink_ast_expr *expr, const char *name) {
  return expr->op == BRINK_AST_NAME && expr->nparts == 1 && expr->part[0].index == NULL &&
         (name == NULL || strcmp(expr->part[0].name, name) == 0);
}

const char *brink_foreign_state(brink_unit *unit, const brink_ast_expr *expr) {
  static const char *const calls[] = {"der", "d", "ddt", "deriv", "diff", "derivative"};
  if (expr->op == BRINK_AST_CALL && expr->text != NULL && expr->nargs >= 1 && expr->nargs <= 2 &&
      expr->arg[0]->op == BRINK_AST_NAME)
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
      if (strcmp(expr->text, calls[k]) == 0) return path_text(unit, expr->arg[0]);
  if (expr->op != BRINK_AST_DIV || !is_name(expr->arg[1], "dt")) return NULL;
  const brink_ast_expr *above = expr->arg[0];
  if (above->op == BRINK_AST_CALL) return brink_foreign_state(unit, above);
  if (!is_name(above, NULL) || above->part[0].name[0] != 'd' || above->part[0].name[1] == '\0')
    return NULL;
  return above->part[0].name + 1;
}
