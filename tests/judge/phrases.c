/* phrases.c: see phrases.h. */
#include "judge/phrases.h"

void say_driver_declarations(writer *w) {
  say(w, "state(p, real); state(pv, real); state(q, real); state(qv, real); state(s, real); ");
}

void say_driver_initial(writer *w) {
  say(w, "p := %.2f; pv := %.2f; q := %.2f; qv := %.2f; s := %.2f; ", decimal(w, -1.5, 1.5, 0.07),
      decimal(w, -1.5, 1.5, 0.11), decimal(w, -1.5, 1.5, 0.13), decimal(w, -1.5, 1.5, 0.09),
      decimal(w, 1.0, 2.5, 0.03));
}

void say_driver_dynamics(writer *w) {
  say(w, "p' = pv; pv' = -%.2f*p; ", decimal(w, 1.0, 6.0, 0.17));
  say(w, "q' = qv; qv' = -%.2f*q - 0.1*qv; ", decimal(w, 0.6, 4.0, 0.13));
  say(w, "s' = -%.2f*(s - 0.4); ", decimal(w, 0.2, 0.9, 0.07));
}

words driver_words(void) {
  return (words){.signal = {"p", "q", "s"}, .nsignals = 3};
}

void say_signal(writer *w, const words *in) {
  if (chance(w, 0.12))
    say(w, "time");
  else
    say(w, "%s", in->signal[pick(w, in->nsignals)]);
}

/* Something smooth of the signals. */
static void say_smooth(writer *w, const words *in) {
  switch (pick(w, 7)) {
  case 0:
    say_signal(w, in);
    break;
  case 1:
    say(w, "(");
    say_signal(w, in);
    say(w, " - %.2f)", decimal(w, -0.9, 0.9, 0.07));
    break;
  case 2:
    say(w, "%.1f*", decimal(w, 0.3, 1.9, 0.2));
    say_signal(w, in);
    break;
  case 3:
    say(w, "(");
    say_signal(w, in);
    say(w, " + ");
    say_signal(w, in);
    say(w, ")");
    break;
  case 4:
    say(w, "sin(");
    say_signal(w, in);
    say(w, ")");
    break;
  case 5:
    say_signal(w, in);
    say(w, "^2");
    break;
  default:
    say_signal(w, in);
    say(w, "*");
    say_signal(w, in);
    break;
  }
}

void say_relation(writer *w, const words *in) {
  static const char *const relations[] = {"<", ">", "<=", ">="};
  if (in->nmodes > 0 && chance(w, 0.2)) {
    int m = pick(w, in->nmodes);
    say(w, "%s %s \"%s\"", in->mode[m], chance(w, 0.5) ? "=" : "/=", in->mode_value[m]);
    return;
  }
  if (in->nflags > 0 && chance(w, 0.25)) {
    say(w, "sgn(%s) %s 0", in->flag[pick(w, in->nflags)], relations[pick(w, 2)]);
    return;
  }
  if (chance(w, 0.3)) {
    int a = pick(w, in->nsignals);
    int b = (a + 1 + pick(w, in->nsignals - 1)) % in->nsignals;
    say(w, "%s %s %s", in->signal[a], relations[pick(w, 4)], in->signal[b]);
  } else if (chance(w, 0.2)) {
    say(w, "time %s %.2f", relations[pick(w, 4)], decimal(w, 0.3, 4.5, 0.13));
  } else {
    say(w, "%s %s %.2f", in->signal[pick(w, in->nsignals)], relations[pick(w, 4)],
        decimal(w, -0.8, 0.9, 0.07));
  }
}

void say_condition(writer *w, const words *in, int depth) {
  if (depth == 0 || chance(w, 0.5)) {
    say_relation(w, in);
    return;
  }
  if (chance(w, 0.2)) {
    say(w, "not (");
    say_condition(w, in, depth - 1);
    say(w, ")");
    return;
  }
  say(w, "(");
  say_condition(w, in, depth - 1);
  say(w, chance(w, 0.5) ? ") and (" : ") or (");
  say_condition(w, in, depth - 1);
  say(w, ")");
}

static void say_if(writer *w, const words *in, int depth) {
  say(w, "(if ");
  say_condition(w, in, 1);
  say(w, " then ");
  say_value(w, in, depth - 1);
  for (int k = pick(w, 3); k > 0; k--) {
    say(w, " elsif ");
    say_condition(w, in, 1);
    say(w, " then ");
    say_value(w, in, depth - 1);
  }
  say(w, " else ");
  say_value(w, in, depth - 1);
  say(w, ")");
}

static void say_call(writer *w, const words *in, const char *name, int depth, int arguments) {
  say(w, "%s(", name);
  for (int k = 0; k < arguments; k++) {
    if (k > 0) say(w, ", ");
    say_value(w, in, depth - 1);
  }
  say(w, ")");
}

static void say_corner(writer *w, const words *in, int depth) {
  switch (pick(w, 9)) {
  case 0:
    say_call(w, in, "abs", depth, 1);
    break;
  case 1:
    say_call(w, in, "min", depth, 2 + pick(w, 2));
    break;
  case 2:
    say_call(w, in, "max", depth, 2 + pick(w, 2));
    break;
  case 3:
    say(w, "sign(");
    say_smooth(w, in);
    say(w, " - %.2f)", decimal(w, -0.6, 0.7, 0.11));
    break;
  case 4:
    say(w, "%s(%.1f*", chance(w, 0.5) ? "floor" : "ceil", decimal(w, 0.7, 2.5, 0.3));
    say_smooth(w, in);
    say(w, " + %.2f)", decimal(w, 0.05, 0.95, 0.11));
    break;
  case 5:
    say(w, "mod(");
    say_smooth(w, in);
    say(w, " + %.2f, %.1f)", decimal(w, 0.05, 0.95, 0.11), decimal(w, 0.6, 1.5, 0.2));
    break;
  case 6:
    say(w, "table(");
    say_smooth(w, in);
    say(w, ", [-0.93, -0.21, 0.37, 1.13], [%.1f, %.1f, %.1f, %.1f])", decimal(w, -1, 1, 0.3),
        decimal(w, -1, 1, 0.3), decimal(w, -1, 1, 0.3), decimal(w, -1, 1, 0.3));
    break;
  case 7: /* a dead zone */
    say(w, "(if p > 0.31 then p - 0.31 elsif p < -0.27 then p + 0.27 else 0.0)");
    break;
  default: /* a saturation */
    say(w, "max(-%.2f, min(%.2f, ", decimal(w, 0.15, 0.7, 0.11), decimal(w, 0.2, 0.8, 0.13));
    say_value(w, in, depth - 1);
    say(w, "))");
    break;
  }
}

void say_value(writer *w, const words *in, int depth) {
  if (depth == 0 || chance(w, 0.12)) {
    if (chance(w, 0.4))
      say(w, "%.2f", decimal(w, -1.2, 1.5, 0.09));
    else
      say_smooth(w, in);
    return;
  }
  if (in->nflags > 0 && chance(w, 0.15)) {
    say(w, "sgn(%s)", in->flag[pick(w, in->nflags)]);
    return;
  }
  switch (pick(w, 5)) {
  case 0:
  case 1:
    say_if(w, in, depth);
    break;
  case 2:
  case 3:
    say_corner(w, in, depth);
    break;
  default:
    say(w, "(");
    say_value(w, in, depth - 1);
    say(w, chance(w, 0.6) ? " + " : "*");
    say_value(w, in, depth - 1);
    say(w, ")");
    break;
  }
}
