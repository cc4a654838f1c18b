/* External functions: values, slopes and runs compared with closed forms, and with the same model in HSML alone;
 * interpreted and compiled to the bit; what is refused. The library is tests/external/library.c. */
#include <brink/record.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "expr/external.h"

static const char *const directories[] = {BRINK_EXTERNAL_DIRECTORY};

static brink_hsml *load(const char *text, bool allow, brink_status wanted) {
  brink_diag diag;
  brink_hsml *model = NULL;
  brink_hsml_def def = brink_default_hsml();
  def.text = text;
  def.allow_external = allow;
  def.library_paths = directories;
  def.nlibrary_paths = 1;
  brink_status status = brink_hsml_load(&def, NULL, &diag, &model);
  if (status == BRINK_OK) status = brink_hsml_build(model, &diag);
  CHECK_MSG(status == wanted, "%s", diag.message);
  return model;
}

/* A run to t = 1 by a method; the value of `name` at its end. */
static double run_by(const char *text, brink_method method, bool interpret, const char *name) {
  brink_diag diag;
  brink_run *run = NULL;
  brink_run_options options;
  brink_hsml *model = load(text, true, BRINK_OK);
  double value = NAN;
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  options.interpret = interpret;
  options.native = !interpret;
  options.sim.method = method;
  options.sim.rtol = 1e-10;
  options.sim.atol = 1e-13;
  options.sim.step = 1e-3;
  options.until = 1.0;
  brink_status status = brink_run_create(model, &options, NULL, &diag, &run);
  if (status == BRINK_OK) status = brink_run_to(run, options.until, &diag);
  CHECK_MSG(status >= BRINK_OK, "%s: %s", brink_method_name(method), diag.message);
  if (run != NULL) CHECK(brink_run_get(run, name, &value, NULL) == BRINK_OK);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  return value;
}

/* v' = 9 - v^2/4: v = 6 tanh(3 t/2); drag(v) = 4 where tanh(3 t/2) = 2/3. */
#define FALL                                                                                       \
  "function drag(v) is external \"testlibrary\";\n"                                                \
  "ctc Fall is body\n"                                                                             \
  "declarations state(v, real); state(hit, real); flag(f, crossing); end declarations;\n"          \
  "initial v := 0.0; hit := 0.0; end initial;\n"                                                   \
  "dynamics v' = 9.0 - drag(v); hit' = 0.0; f = 4.0 - drag(v); end dynamics;\n"                    \
  "event(f) negative-going hit := time; end negative-going; end event;\n"                          \
  "end body; end Fall;\n"

TEST(runs_meet_the_closed_form_with_every_method_that_needs_no_series) {
  static const brink_method methods[] = {BRINK_AUTO, BRINK_ADAMS, BRINK_DOPRI, BRINK_BDF,
                                         BRINK_RK4};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    double v = run_by(FALL, methods[k], true, "v"), hit = run_by(FALL, methods[k], true, "hit");
    CHECK_NEAR(v, 6.0 * tanh(1.5), methods[k] == BRINK_BDF ? 1e-6 : 1e-8);
    CHECK_NEAR(hit, atanh(2.0 / 3.0) / 1.5, 1e-7);
  }
}

TEST(interpreted_and_compiled_runs_have_the_same_bits) {
  CHECK(run_by(FALL, BRINK_ADAMS, true, "v") == run_by(FALL, BRINK_ADAMS, false, "v"));
  CHECK(run_by(FALL, BRINK_BDF, true, "v") == run_by(FALL, BRINK_BDF, false, "v"));
}

/* In an array, in a dtc, in parameters, without arguments and with eight. */
static const char everywhere[] =
    "function weighted(a, b, c, d, e, f, g, h) is external \"testlibrary\";\n"
    "function f(x, y) is external \"testlibrary\" symbol \"sine_times\" derivative "
    "\"sine_times_slopes\";\n"
    "function seven() is external \"testlibrary\";\n"
    "constant c is external \"testlibrary\" symbol \"speed_of_sound\";\n"
    "ctc Plant is interface output(y, signal); end interface; body\n"
    "declarations state(x[9], real); parameter(k[9], real); variable(s, real); end declarations;\n"
    "initial for i in 1..9 loop x[i] := seven() + f(1.0, k[i]); end loop; end initial;\n"
    "dynamics for i in 1..9 loop x[i]' = -f(x[i], k[i]); end loop; s = f(x[1], f(x[2], 2.0)); end "
    "dynamics;\n"
    "output y = s + weighted(x[1], x[2], x[3], x[4], 5.0, 6.0, 7.0, 8.0); end output;\n"
    "assignments for i in 1..9 loop k[i] : 0.1*i; end loop; end assignments; end body; end Plant;\n"
    "dtc Sampler is interface input(u, real); output(y, real); end interface; body\n"
    "declarations sample(0.25); state(n, real); end declarations;\n"
    "initial n := c; end initial;\n"
    "update n := f(n, u); end update; output y = n; end output; end body; end Sampler;\n"
    "composite Top is body components p : Plant; s : Sampler; end components;\n"
    "connections connect(p.y, s.u); end connections; end body; end Top;\n";

TEST(external_functions_may_be_called_everywhere) {
  double n = run_by(everywhere, BRINK_ADAMS, true, "s.n");
  CHECK(isfinite(n) && n == run_by(everywhere, BRINK_ADAMS, false, "s.n"));
  CHECK(run_by(everywhere, BRINK_DOPRI, true, "p.x[5]") ==
        run_by(everywhere, BRINK_DOPRI, false, "p.x[5]"));
  /* x' = -k sin(x), x(0) = 7 + k sin(1): tan(x/2) shrinks by exp(-k t) */
  double start = 7.0 + 0.5 * sin(1.0);
  double want = 2.0 * (atan(tan(start / 2.0) * exp(-0.5)) + acos(-1.0));
  CHECK_NEAR(run_by(everywhere, BRINK_ADAMS, true, "p.x[5]"), want, 1e-8);
}

/* ---- slopes ---- */

static double square_of(double x, double y) {
  return x * x * y;
}

static void square_slopes(double x, double y, double *g) {
  g[0] = 2.0 * x * y;
  g[1] = x * x;
}

TEST(differences_are_near_the_derivatives) {
  brink_external both[2] = {{.name = "f", .narguments = 2, .value = (brink_external_fn *)square_of},
                            {.name = "f",
                             .narguments = 2,
                             .value = (brink_external_fn *)square_of,
                             .gradient = (brink_external_fn *)square_slopes}};
  const double x[2] = {3.0, -2.0};
  static const double first[2] = {-12.0, 9.0}, second[2][2] = {{-4.0, 6.0}, {6.0, 0.0}};
  for (size_t f = 0; f < 2; f++) {
    CHECK(brink_external_call(both, brink_external_code(f, 0), x) == -18.0);
    for (size_t k = 0; k < 2; k++) {
      size_t code = brink_external_derivative(brink_external_code(f, 0), k);
      CHECK_NEAR(brink_external_call(both, code, x), first[k], f == 1 ? 0.0 : 1e-8);
      for (size_t j = 0; j < 2; j++) {
        size_t twice = brink_external_derivative(code, j);
        CHECK_NEAR(brink_external_call(both, twice, x), second[k][j], 1e-5);
        CHECK(brink_external_derivative(twice, 0) == BRINK_EXTERNAL_NONE);
      }
    }
  }
}

/* ---- what goes wrong ---- */

static bool says(brink_hsml *model, const char *code) {
  const brink_hsml_message *messages;
  size_t count = brink_hsml_messages(model, &messages);
  for (size_t k = 0; k < count; k++)
    if (strcmp(messages[k].code, code) == 0) return true;
  return false;
}

static void refuses(const char *text, bool allow, const char *code) {
  brink_hsml *model = load(text, allow, BRINK_ERR_MODEL);
  CHECK_MSG(says(model, code), "no %s", code);
  brink_hsml_destroy(model);
}

#define USE                                                                                        \
  "ctc A is body declarations state(x, real); end declarations; initial x := 0.0; "                \
  "end initial; dynamics x' = f(x); end dynamics; end body; end A;\n"

TEST(nothing_is_loaded_that_was_not_allowed) {
  refuses(FALL, false, "external-refused");
  refuses("function f(x) is external \"nosuchlibrary\";\n" USE, true, "external-library");
  refuses("function f(x) is external \"testlibrary\" symbol \"nothing\";\n" USE, true,
          "external-symbol");
  refuses("function f(x) is external \"testlibrary\" symbol \"drag\" derivative \"nothing\";\n" USE,
          true, "external-symbol");
  refuses("constant c is external \"testlibrary\" symbol \"not_finite\";\n"
          "function f(x) = c*x;\n" USE,
          true, "external-not-finite");
  refuses("function drag(x) is external \"testlibrary\";\n"
          "ctc A is body declarations state(x, real); variable(z, real); end declarations;\n"
          "initial x := 1.0; guess z := 1.0; end initial; dynamics x' = -z; end dynamics;\n"
          "constraints drag(z) = x; end constraints; end body; end A;\n",
          true, "external-in-constraints");
}

TEST(taylor_is_refused_and_auto_takes_another_method) {
  brink_diag diag;
  brink_run *run = NULL;
  brink_run_options options;
  brink_hsml *model = load(FALL, true, BRINK_OK);
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  options.interpret = true;
  options.until = 1.0;
  options.sim.method = BRINK_TAYLOR;
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_ERR_UNSUPPORTED);
  CHECK(strstr(diag.message, "'drag'") != NULL);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* sqrt(2 - x) with x' = 1 + 0: the solution leaves the domain at t = 2 */
TEST(what_is_not_a_number_ends_the_run) {
  static const char text[] =
      "function f(x) is external \"testlibrary\" symbol \"root_below_two\";\n"
      "ctc A is body declarations state(x, real); state(y, real); end declarations;\n"
      "initial x := 0.0; y := 0.0; end initial; dynamics x' = 1.0; y' = f(x); end dynamics;\n"
      "end body; end A;\n";
  brink_diag diag;
  brink_run *run = NULL;
  brink_run_options options;
  brink_hsml *model = load(text, true, BRINK_OK);
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  options.interpret = true;
  options.until = 3.0;
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK);
  CHECK(brink_run_to(run, options.until, &diag) < BRINK_OK);
  CHECK_NEAR(diag.t, 2.0, 1e-3);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

int main(void) {
  RUN(runs_meet_the_closed_form_with_every_method_that_needs_no_series);
  RUN(interpreted_and_compiled_runs_have_the_same_bits);
  RUN(external_functions_may_be_called_everywhere);
  RUN(differences_are_near_the_derivatives);
  RUN(nothing_is_loaded_that_was_not_allowed);
  RUN(taylor_is_refused_and_auto_takes_another_method);
  RUN(what_is_not_a_number_ends_the_run);
  return check_done();
}
