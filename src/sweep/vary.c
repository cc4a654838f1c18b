/* vary.c: the words of --vary. See vary.h.
 *
 *     vary   = NAME "=" values
 *     values = [ "log" ":" ] number ":" number [ ":" count ]
 *            | ( "uniform" | "loguniform" | "normal" ) "(" number "," number ")"
 *            | word { "," word } */
#include "sweep/vary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs are counted in 53 bits, in files of results, too. */
#define MOST_VALUES 1000000000u

static const char forms[] = "write NAME=LO:HI:COUNT, NAME=log:LO:HI:COUNT, NAME=LO:HI, NAME=a,b,c, "
                            "NAME=uniform(LO,HI) or NAME=normal(MEAN,DEVIATION)";

/* ---- words ---- */

bool brink_vary_number(const char *text, double *number) {
  char *end;
  text += strspn(text, " \t");
  /* strtod knows "inf", "nan" and hexadecimal numbers, which nobody means here. */
  if (text[0] == '\0' || strspn(text, "0123456789+-.eE \t") != strlen(text)) return false;
  *number = brink_read_double(text, &end);
  return end != text && end[strspn(end, " \t")] == '\0' && isfinite(*number);
}

static bool read_count(const char *text, size_t *count) {
  double number;
  if (!brink_vary_number(text, &number) || number != floor(number)) return false;
  if (number < 2.0 || number > MOST_VALUES) return false;
  *count = (size_t)number;
  return true;
}

/* Cuts the text at every `mark`, in place. The list is in the arena; NULL: out of memory. */
static const char **cut(brink_arena *arena, char *text, char mark, size_t *count) {
  size_t n = 1;
  for (const char *c = text; *c != '\0'; c++) n += *c == mark;
  const char **words = brink_arena_take(arena, n, sizeof *words);
  *count = 0;
  for (char *word = text; words != NULL && word != NULL;) {
    char *next = strchr(word, mark);
    if (next != NULL) *next++ = '\0';
    words[(*count)++] = word;
    word = next;
  }
  return words;
}

/* ---- the kinds ---- */

static brink_status wrong(const brink_vary *vary, const char *why, brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "--vary %s: %s", vary->text, why);
}

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

static brink_status check_ends(const brink_vary *vary, brink_diag *diag) {
  if (vary->kind == BRINK_VARY_NORMAL)
    return vary->hi > 0.0 ? BRINK_OK : wrong(vary, "the deviation must be above 0", diag);
  if (!(vary->lo < vary->hi)) return wrong(vary, "the first end must be below the second", diag);
  if (vary->kind == BRINK_VARY_LOG && !(vary->lo > 0.0))
    return wrong(vary, "the ends of a logarithmic range must be above 0", diag);
  /* Distances are computed as hi - lo. */
  if (!isfinite(vary->hi - vary->lo)) return wrong(vary, "the range is too wide", diag);
  return BRINK_OK;
}

static brink_status read_range(brink_arena *arena, char *values, brink_vary *vary,
                               brink_diag *diag) {
  size_t n;
  vary->kind = BRINK_VARY_LINEAR;
  if (strncmp(values, "log:", 4) == 0) {
    vary->kind = BRINK_VARY_LOG;
    values += 4;
  }
  const char **words = cut(arena, values, ':', &n);
  if (words == NULL) return out_of_memory(diag);
  if ((n != 2 && n != 3) || !brink_vary_number(words[0], &vary->lo) ||
      !brink_vary_number(words[1], &vary->hi))
    return wrong(vary, forms, diag);
  if (n == 3 && !read_count(words[2], &vary->count))
    return wrong(vary, "COUNT is a whole number from 2 to 1000000000: both ends are included",
                 diag);
  return check_ends(vary, diag);
}

static const struct {
  const char *word;
  brink_vary_kind kind;
} distributions[] = {{"uniform(", BRINK_VARY_LINEAR},
                     {"loguniform(", BRINK_VARY_LOG},
                     {"normal(", BRINK_VARY_NORMAL}};

/* NULL: the values are no distribution. */
static const char *distribution_of(const char *values, brink_vary_kind *kind) {
  for (size_t k = 0; k < sizeof distributions / sizeof distributions[0]; k++) {
    size_t length = strlen(distributions[k].word);
    if (strncmp(values, distributions[k].word, length) != 0) continue;
    *kind = distributions[k].kind;
    return values + length;
  }
  return NULL;
}

static brink_status read_distribution(brink_arena *arena, char *inside, brink_vary *vary,
                                      brink_diag *diag) {
  size_t n, length = strlen(inside);
  if (length == 0 || inside[length - 1] != ')') return wrong(vary, "a ')' is missing", diag);
  inside[length - 1] = '\0';
  const char **words = cut(arena, inside, ',', &n);
  if (words == NULL) return out_of_memory(diag);
  if (n != 2 || !brink_vary_number(words[0], &vary->lo) || !brink_vary_number(words[1], &vary->hi))
    return wrong(vary, "a distribution has two numbers: uniform(LO,HI), normal(MEAN,DEVIATION)",
                 diag);
  return check_ends(vary, diag);
}

static brink_status read_list(brink_arena *arena, char *values, brink_vary *vary,
                              brink_diag *diag) {
  const char **words = cut(arena, values, ',', &vary->count);
  if (words == NULL) return out_of_memory(diag);
  double number;
  vary->kind = BRINK_VARY_LIST;
  vary->words = words;
  vary->numeric = true;
  for (size_t k = 0; k < vary->count; k++) {
    if (words[k][strspn(words[k], " \t")] == '\0') return wrong(vary, forms, diag);
    vary->numeric = vary->numeric && brink_vary_number(words[k], &number);
  }
  return BRINK_OK;
}

brink_status brink_vary_read(brink_arena *arena, const char *text, brink_vary *vary,
                             brink_diag *diag) {
  brink_diag_clear(diag);
  *vary = (brink_vary){.text = brink_arena_text(arena, text), .numeric = true};
  char *name = brink_arena_text(arena, text);
  if (arena->failed) return out_of_memory(diag);
  char *values = strchr(name, '=');
  if (values == NULL || values == name || values[1] == '\0') return wrong(vary, forms, diag);
  *values++ = '\0';
  vary->name = name;
  const char *inside = distribution_of(values, &vary->kind);
  if (inside != NULL) return read_distribution(arena, values + (inside - values), vary, diag);
  if (strchr(values, ':') != NULL) return read_range(arena, values, vary, diag);
  return read_list(arena, values, vary, diag);
}

/* ---- values ---- */

static brink_vary_value word_at(const brink_vary *vary, size_t k) {
  double number;
  if (vary->numeric && brink_vary_number(vary->words[k], &number))
    return (brink_vary_value){.number = number};
  return (brink_vary_value){.number = (double)NAN, .word = vary->words[k]};
}

/* Between lo and hi; s = 0 and s = 1 are exact. */
static double between(const brink_vary *vary, double s) {
  if (s <= 0.0) return vary->lo;
  if (s >= 1.0) return vary->hi;
  double value = vary->kind == BRINK_VARY_LOG ? vary->lo * pow(vary->hi / vary->lo, s)
                                              : vary->lo + s * (vary->hi - vary->lo);
  return fmin(fmax(value, vary->lo), vary->hi);
}

brink_vary_value brink_vary_at(const brink_vary *vary, size_t k) {
  if (vary->kind == BRINK_VARY_LIST) return word_at(vary, k);
  double value = between(vary, (double)k / (double)(vary->count - 1));
  /* k (hi - lo) is exact for whole numbers, k/(count - 1) is not. */
  double whole = vary->lo + (double)k * (vary->hi - vary->lo) / (double)(vary->count - 1);
  if (vary->kind == BRINK_VARY_LINEAR && whole == floor(whole) && isfinite(whole)) value = whole;
  return (brink_vary_value){.number = value};
}

/* Whole numbers from lo to hi. */
static double whole_between(const brink_vary *vary, double u) {
  double lo = ceil(vary->lo), hi = floor(vary->hi);
  return fmin(floor(lo + u * (hi - lo + 1.0)), hi);
}

brink_vary_value brink_vary_quantile(const brink_vary *vary, double u) {
  if (vary->kind == BRINK_VARY_NORMAL)
    return (brink_vary_value){.number = vary->lo + vary->hi * brink_normal_quantile(u)};
  if (vary->kind == BRINK_VARY_LINEAR && vary->seed)
    return (brink_vary_value){.number = whole_between(vary, u)};
  if (vary->kind != BRINK_VARY_LIST) return (brink_vary_value){.number = between(vary, u)};
  size_t k = (size_t)(u * (double)vary->count);
  return word_at(vary, k < vary->count ? k : vary->count - 1);
}

/* ---- the normal distribution ---- */

/* a[0] + a[1] r + … + a[7] r^7 */
static double polynomial(const double a[8], double r) {
  double sum = a[7];
  for (int k = 6; k >= 0; k--) sum = sum * r + a[k];
  return sum;
}

/* Method: rational approximations in three regions, with a relative error of 1e-16: M. J. Wichura, "Algorithm AS 241: the
 * percentage points of the normal distribution", Applied Statistics 37 (1988) 477-484, PPND16. The numbers are those
 * of the paper. */
double brink_normal_quantile(double u) {
  static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                              1.9715909503065514427e+3, 1.3731693765509461125e+4,
                              4.5921953931549871457e+4, 6.7265770927008700853e+4,
                              3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static const double b[8] = {1.0,
                              4.2313330701600911252e+1,
                              6.8718700749205790830e+2,
                              5.3941960214247511077e+3,
                              2.1213794301586595867e+4,
                              3.9307895800092710610e+4,
                              2.8729085735721942674e+4,
                              5.2264952788528545610e+3};
  static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                              5.76949722146069140550e0,  3.64784832476320460504e0,
                              1.27045825245236838258e0,  2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[8] = {1.0,
                              2.05319162663775882187e0,
                              1.67638483018380384940e0,
                              6.89767334985100004550e-1,
                              1.48103976427480074590e-1,
                              1.51986665636164571966e-2,
                              5.47593808499534494600e-4,
                              1.05075007164441684324e-9};
  static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                              1.78482653991729133580e0,  2.96560571828504891230e-1,
                              2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[8] = {1.0,
                              5.99832206555887937690e-1,
                              1.36929880922735805310e-1,
                              1.48753612908506148525e-2,
                              7.86869131145613259100e-4,
                              1.84631831751005468180e-5,
                              1.42151175831644588870e-7,
                              2.04426310338993978564e-15};
  double q = u - 0.5;
  if (fabs(q) <= 0.425) {
    double r = 0.180625 - q * q; /* 0.425^2 - q^2 */
    return q * polynomial(a, r) / polynomial(b, r);
  }
  double r = sqrt(-log(q < 0.0 ? u : 1.0 - u));
  double x = r <= 5.0 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6)
                      : polynomial(e, r - 5.0) / polynomial(f, r - 5.0);
  return q < 0.0 ? -x : x;
}
