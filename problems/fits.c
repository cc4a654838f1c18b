/* fits.c: models to be fitted, and noisy data of them. See fits.h. */
#include "problems/fits.h"

#include <math.h>
#include <string.h>

static const char ball[] =
    "ctc Ball is interface knob(e, g); view(y); end interface; body declarations\n"
    "state(y, real); state(v, real); parameter(e, real, (0.0, 1.0)); parameter(g, real);\n"
    "flag(ground, unilateral); end declarations;\n"
    "initial y := 1.0; v := 0.0; end initial;\n"
    "dynamics y' = v; v' = -g; ground = y; end dynamics;\n"
    "event(ground) negative-going v := -e*v; end negative-going; end event;\n"
    "assignments e : 0.7; g : 8.0; end assignments; end body; end Ball;\n";

static const char neuron[] =
    "ctc Neuron is interface knob(drive, tau); view(v); end interface; body declarations\n"
    "state(v, real); parameter(drive, real); parameter(tau, real); flag(spike); end declarations;\n"
    "initial v := 0.0; end initial;\n"
    "dynamics v' = (drive - v)/tau; spike = v - 1.0; end dynamics;\n"
    "event(spike) positive-going v := 0.0; end positive-going; end event;\n"
    "assignments drive : 2.0; tau : 1.0; end assignments; end body; end Neuron;\n";

static const char friction[] =
    "ctc Block is interface knob(k, mu); view(x); end interface; body declarations\n"
    "state(x, real); state(v, real); parameter(k, real); parameter(mu, real); flag(slip);\n"
    "end declarations;\n"
    "initial x := 1.0; v := 0.0; end initial;\n"
    "dynamics x' = v; v' = 0.6*sin(0.7*time) - k*x - mu*sgn(slip); slip = v; end dynamics;\n"
    "assignments k : 2.0; mu : 0.3; end assignments; end body; end Block;\n";

static const char loop[] =
    "ctc Plant is interface input(u, real); output(y, signal); knob(gain, tau); end interface;\n"
    "body declarations state(x, real); parameter(gain, real); parameter(tau, real);\n"
    "end declarations;\n"
    "initial x := 0.0; end initial;\n"
    "dynamics x' = (gain*u - x)/tau; end dynamics; output y = x; end output;\n"
    "assignments gain : 1.0; tau : 1.0; end assignments; end body; end Plant;\n"
    "dtc Controller is interface input(y, real); output(u, real); end interface; body\n"
    "declarations sample(0.25, 0.0); state(sum, real); end declarations;\n"
    "initial sum := 0.0; end initial;\n"
    "update sum := sum + 0.2*(1.0 - y); end update;\n"
    "output u = 1.5*(1.0 - y) + sum; end output; end body; end Controller;\n"
    "system Loop is interface knob(gain, tau); end interface; body\n"
    "declarations parameter(gain, real); parameter(tau, real); end declarations;\n"
    "components plant : Plant(gain : gain, tau : tau); control : Controller; end components;\n"
    "connections connect(plant.y, control.y); connect(control.u, plant.u); end connections;\n"
    "assignments gain : 1.0; tau : 1.0; end assignments;\n"
    "simulation until : 8.0; end simulation; end body; end Loop;\n";

static const char room[] =
    "ctc Room is interface knob(power, loss); view(T); end interface; body declarations\n"
    "state(T, real); parameter(power, real); parameter(loss, real); mode(heater, {\"off\", "
    "\"on\"});\n"
    "flag(warm); flag(cold); end declarations;\n"
    "initial T := 20.0; heater := \"on\"; end initial;\n"
    "dynamics T' = -loss*(T - 10.0) + (if heater = \"on\" then power else 0.0);\n"
    "warm = T - 22.0; cold = T - 18.0; end dynamics;\n"
    "event(warm) positive-going heater := \"off\"; end positive-going; end event;\n"
    "event(cold) negative-going heater := \"on\"; end negative-going; end event;\n"
    "assignments power : 3.0; loss : 0.15; end assignments; end body; end Room;\n";

static const char tank[] =
    "ctc Tank is interface knob(c); view(h); end interface; body declarations\n"
    "state(h, real); parameter(c, real); mode(phase, {\"wet\", \"dry\"});\n"
    "flag(empty, unilateral); end declarations;\n"
    "initial h := 1.5; phase := \"wet\"; end initial;\n"
    "dynamics if phase = \"dry\" then h' = 0.0; else h' = -c*sqrt(h); end if; empty = h;\n"
    "end dynamics;\n"
    "event(empty) negative-going phase := \"dry\"; end negative-going; end event;\n"
    "assignments c : 0.3; end assignments; end body; end Tank;\n";

const fit_case fit_cases[] = {
    {.name = "bouncing ball",
     .kind = "resets",
     .text = ball,
     .nknobs = 2,
     .knobs = {{.name = "e", .lo = 0.3, .hi = 0.99}, {.name = "g", .lo = 5, .hi = 20}},
     .truth = {0.8, 9.81},
     .curve = "y",
     .first = 0.05,
     .apart = 0.05,
     .npoints = 40,
     .curve_sigma = 0.01,
     .flag = "ground",
     .nevents = 3,
     .flag_sigma = 0.005},
    {.name = "spiking neuron",
     .kind = "resets",
     .text = neuron,
     .nknobs = 2,
     .knobs = {{.name = "drive", .lo = 1.1, .hi = 5}, {.name = "tau", .lo = 0.2, .hi = 5}},
     .truth = {1.5, 1.2},
     .curve = "v",
     .first = 0.1,
     .apart = 0.1,
     .npoints = 60,
     .curve_sigma = 0.02,
     .flag = "spike",
     .nevents = 4,
     .flag_sigma = 0.01},
    {.name = "block with dry friction",
     .kind = "sliding",
     .text = friction,
     .nknobs = 2,
     .knobs = {{.name = "k", .lo = 0.2, .hi = 10, .log = true},
               {.name = "mu", .lo = 0.05, .hi = 1}},
     .truth = {1.3, 0.2},
     .curve = "x",
     .first = 0.25,
     .apart = 0.25,
     .npoints = 48,
     .curve_sigma = 0.02},
    {.name = "sampled control loop",
     .kind = "sampled controller",
     .text = loop,
     .nknobs = 2,
     .knobs = {{.name = "gain", .lo = 0.2, .hi = 4}, {.name = "tau", .lo = 0.2, .hi = 5}},
     .truth = {1.7, 0.9},
     .curve = "plant.x",
     .first = 0.1,
     .apart = 0.15,
     .npoints = 40,
     .curve_sigma = 0.02},
    {.name = "room with a thermostat",
     .kind = "modes",
     .text = room,
     .nknobs = 2,
     .knobs = {{.name = "power", .lo = 1.5, .hi = 5}, {.name = "loss", .lo = 0.03, .hi = 0.2}},
     .truth = {2.0, 0.1},
     .curve = "T",
     .first = 0.5,
     .apart = 0.5,
     .npoints = 40,
     .curve_sigma = 0.1,
     .flag = "warm",
     .nevents = 2,
     .flag_sigma = 0.05},
    {.name = "tank that runs empty",
     .kind = "an edge, an initial value",
     .text = tank,
     .nknobs = 2,
     .knobs = {{.name = "c", .lo = 0.05, .hi = 1}, {.name = "h", .lo = 0.5, .hi = 3}},
     .truth = {0.2, 1.0},
     .curve = "h",
     .first = 0.3,
     .apart = 0.3,
     .npoints = 36,
     .curve_sigma = 0.02,
     .flag = "empty",
     .nevents = 1,
     .flag_sigma = 0.05},
};

const size_t fit_ncases = sizeof fit_cases / sizeof fit_cases[0];

/* ---- data ---- */

typedef struct seen {
  const fit_case *c;
  fit_data *data;
  size_t count;
} seen;

static int on_event(brink_run *run, const brink_run_event *event, void *user) {
  seen *s = user;
  (void)run;
  if (s->c->flag != NULL && strcmp(event->flag, s->c->flag) == 0 && s->count < s->c->nevents)
    s->data->times[s->count++] = event->t;
  return 0;
}

static bool measure(const fit_case *c, brink_run *run, fit_data *data) {
  brink_diag diag;
  seen s = {.c = c, .data = data};
  brink_run_observe(run, &(brink_run_observer){.event = on_event, .user = &s});
  for (size_t k = 0; k < c->npoints; k++) {
    data->t[k] = c->first + (double)k * c->apart;
    if (brink_run_to(run, data->t[k], &diag) < 0 ||
        brink_run_get(run, c->curve, &data->y[k], &diag) != BRINK_OK)
      return false;
  }
  brink_run_finish(run, &diag);
  return s.count == c->nevents;
}

bool fit_case_exact(const fit_case *c, fit_data *data) {
  brink_hsml *model = NULL;
  brink_run *run = NULL;
  brink_diag diag;
  bool fine = brink_hsml_load_text(c->text, &diag, &model) == BRINK_OK;
  brink_run_options options = brink_default_run();
  options.interpret = true;
  options.sim.rtol = 1e-11;
  options.sim.atol = 1e-13;
  for (size_t k = 0; k < c->nknobs && fine; k++)
    fine = brink_hsml_set(model, c->knobs[k].name, c->truth[k], &diag) == BRINK_OK;
  fine = fine && brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK &&
         measure(c, run, data);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  return fine;
}

/* splitmix64 (Steele, Lea & Flood 2014). */
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Box & Muller (1958). */
static double draw_normal(uint64_t *state) {
  double u = ((double)(draw(state) >> 11) + 0.5) * 0x1p-53;
  double v = (double)(draw(state) >> 11) * 0x1p-53;
  return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

void fit_case_disturb(const fit_case *c, const fit_data *exact, uint64_t seed, fit_data *data) {
  uint64_t state = seed;
  *data = *exact;
  for (size_t k = 0; k < c->npoints; k++) data->y[k] += c->curve_sigma * draw_normal(&state);
  for (size_t k = 0; k < c->nevents; k++) data->times[k] += c->flag_sigma * draw_normal(&state);
}

brink_status fit_case_make(const fit_case *c, const fit_data *data, bool known,
                           brink_fit_method method, size_t starts, brink_hsml **model,
                           brink_fit **fit, brink_diag *diag) {
  brink_fit_def def = brink_default_fit();
  brink_run_options options = brink_default_run();
  *model = NULL;
  *fit = NULL;
  brink_status status = brink_hsml_load_text(c->text, diag, model);
  if (status != BRINK_OK) return status;
  options.interpret = true;
  options.sim.rtol = 1e-8;
  options.sim.atol = 1e-10;
  def.model = *model;
  def.options = &options;
  def.knobs = c->knobs;
  def.nknobs = c->nknobs;
  def.method = method;
  def.starts = starts;
  status = brink_fit_create(&def, diag, fit);
  if (status == BRINK_OK && c->curve != NULL)
    status = brink_fit_add_curve(*fit, c->curve, data->t, data->y, NULL, c->npoints, diag);
  if (status == BRINK_OK && c->flag != NULL)
    status = brink_fit_add_events(*fit, c->flag, data->times, NULL, c->nevents, diag);
  if (status == BRINK_OK && known && c->curve != NULL)
    status = brink_fit_set_sigma(*fit, c->curve, c->curve_sigma, diag);
  if (status == BRINK_OK && known && c->flag != NULL)
    status = brink_fit_set_sigma(*fit, c->flag, c->flag_sigma, diag);
  return status;
}
