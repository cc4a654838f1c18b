/* kinds_events.c: models with declared flags: resets, modes, boolean formulas, jumps that cause jumps, events at one
 * instant, starts on a surface, ranges. */
#include <string.h>

#include "judge/phrases.h"

static void open_model(writer *w, const char *declarations, const char *initial) {
  say(w, "ctc M is\n  body\n    declarations\n      ");
  say_driver_declarations(w);
  say(w, "\n      %s\n    end declarations;\n    initial\n      ", declarations);
  say_driver_initial(w);
  say(w, "\n      %s\n    end initial;\n    dynamics\n      ", initial);
  say_driver_dynamics(w);
  say(w, "\n");
}

static const char *way(writer *w) {
  return chance(w, 0.5) ? "positive-going" : "negative-going";
}

static void say_event(writer *w, const char *flag, const char *direction, const char *action) {
  say(w, "    event(%s) %s %s end %s; end event;\n", flag, direction, action, direction);
}

static void close_model(writer *w) {
  say(w, "  end body;\nend M;\n");
}

/* Flags that set states which other flags read. */
static void resets(writer *w) {
  words in = driver_words();
  open_model(w,
             "state(x, real); state(y, real); state(n, integer); flag(f); flag(g); flag(k); "
             "flag(r);",
             "x := 0.5; y := -0.3; n := 0;");
  say(w, "      x' = %.2f - 0.3*x; y' = 0.2*p - 0.1*y;\n", decimal(w, -0.8, 0.8, 0.17));
  say(w, "      f = p - %.2f;\n      g = x - %.2f;\n      k = x + y - ",
      decimal(w, -0.5, 0.6, 0.07), decimal(w, -0.2, 0.9, 0.13));
  say_value(w, &in, 1);
  say(w, ";\n      r = p^2 + q^2 - %.2f*n - %.2f;\n    end dynamics;\n",
      decimal(w, 0.02, 0.3, 0.07), decimal(w, 0.1, 0.9, 0.13));
  writer line = {.seed = w->seed, .model = w->model, .draw = w->draw + 1000};
  say(&line, "x := %.2f*x + %.2f; n := n + 1;", decimal(w, -0.9, 0.9, 0.3),
      decimal(w, -0.8, 0.8, 0.16));
  say_event(w, "f", way(w), line.text);
  say(w,
      "    event(g)\n      positive-going y := y - %.2f; n := n + 10; end positive-going;\n"
      "      negative-going y := y + %.2f; end negative-going;\n    end event;\n",
      decimal(w, 0.2, 1.2, 0.21), decimal(w, 0.1, 1.0, 0.19));
  say_event(w, "k", way(w),
            chance(w, 0.5) ? "n := n + 100;"
                           : "let d = x - y; x := x - 0.25*abs(d) - 0.4; n := n + 100;");
  close_model(w);
}

/* Formulas of relations, modes and booleans. */
static void boolean_flags(writer *w) {
  words in = driver_words();
  in.mode[0] = "m";
  in.mode_value[0] = "a";
  in.nmodes = 1;
  open_model(w,
             "mode(m, {\"a\", \"b\"}); state(on, boolean); state(z, real); state(n, integer); "
             "flag(f); flag(g); "
             "flag(h); flag(turn);",
             "m := \"a\"; on := false; z := 0.0; n := 0;");
  say(w, "      turn = q - %.2f;\n      f = ", decimal(w, -0.4, 0.5, 0.11));
  say_condition(w, &in, 2);
  say(w, ";\n      g = (");
  say_condition(w, &in, 1);
  say(w, ") %s on;\n      h = not (", chance(w, 0.5) ? "and" : "or");
  say_condition(w, &in, 2);
  say(w, ");\n      z' = if on then ");
  say_value(w, &in, 1);
  say(w, " else if m = \"a\" then 1.0 else ");
  say_value(w, &in, 1);
  say(w, ";\n    end dynamics;\n");
  say(w, "    event(turn)\n      positive-going m := \"b\"; end positive-going;\n"
         "      negative-going m := \"a\"; end negative-going;\n    end event;\n");
  say(w, "    event(f)\n      positive-going on := true; n := n + 1; end positive-going;\n"
         "      negative-going on := false; end negative-going;\n    end event;\n");
  say_event(w, "g", "positive-going", "n := n + 100;");
  say_event(w, "h", way(w), "z := z + 0.25;");
  close_model(w);
}

/* A hysteresis with modes; its thresholds switch, too. */
static void thermostat(writer *w) {
  say(w, "ctc M is\n  body\n    declarations\n      state(T, real); state(cost, real); mode(m, "
         "{\"on\", \"off\"}); "
         "flag(hot); flag(cold); variable(outside, real); variable(shift, real);\n    end "
         "declarations;\n");
  say(w, "    initial T := %.1f; cost := 0.0; m := \"%s\"; end initial;\n    dynamics\n",
      decimal(w, 17, 23, 0.3), chance(w, 0.5) ? "on" : "off");
  say(w, "      outside = %.1f + %.1f*sin(%.2f*time);\n", decimal(w, 4, 9, 0.7),
      decimal(w, 1, 5, 0.6), decimal(w, 0.5, 2, 0.13));
  say(w, "      shift = if time < %.2f then 0.0 elsif time < %.2f then %.1f else -%.1f;\n",
      decimal(w, 0.5, 2, 0.17), decimal(w, 2.2, 4, 0.19), decimal(w, 0.3, 1.5, 0.2),
      decimal(w, 0.3, 1.2, 0.3));
  say(w, "      T' = %.2f*(outside - T) + (if m = \"on\" then %.1f else 0.0);\n",
      decimal(w, 0.3, 0.8, 0.07), decimal(w, 14, 22, 0.9));
  say(w, "      cost' = if m = \"on\" then 1.0 elsif T < %.1f then 0.25 else 0.0;\n",
      decimal(w, 18.5, 20.5, 0.3));
  say(w, "      hot = T - (21.0 + shift);\n      cold = T - (19.0 + shift);\n    end dynamics;\n");
  say_event(w, "hot", "positive-going", "m := \"off\";");
  say_event(w, "cold", "negative-going", "m := \"on\";");
  close_model(w);
}

/* An action throws a state across surfaces that others watch, with corners in between. */
static void jumps(writer *w) {
  open_model(w,
             "state(x, real); state(y, real); state(n, integer); mode(m, {\"up\", \"down\"}); "
             "flag(go); flag(g); "
             "flag(h); flag(k);",
             "x := 0.9; y := 0.2; n := 0; m := \"up\";");
  say(w, "      if m = \"up\" then x' = %.2f; else x' = %.2f - 0.5*sign(time + 1.0); end if;\n",
      decimal(w, -0.3, 0.3, 0.11), decimal(w, 0.2, 0.8, 0.07));
  say(w, "      y' = %.2f*abs(x);\n      go = p - %.2f;\n", decimal(w, -0.3, 0.3, 0.09),
      decimal(w, -0.5, 0.6, 0.09));
  say(w,
      "      g = abs(x) - %.2f;\n      h = max(x, y) - %.2f;\n      k = (if x > y then x else "
      "2.0*y) + %.2f;\n",
      decimal(w, 0.2, 1.1, 0.13), decimal(w, 0.0, 0.9, 0.17), decimal(w, -0.4, 0.9, 0.19));
  say(w,
      "    end dynamics;\n    event(go)\n      positive-going x := -x + %.2f; end positive-going;\n"
      "      negative-going m := if m = \"up\" then \"down\" else \"up\"; x := x - %.2f; end "
      "negative-going;\n"
      "    end event;\n",
      decimal(w, -0.3, 0.3, 0.06), decimal(w, 0.1, 0.6, 0.11));
  say_event(w, "g", way(w), "n := n + 1;");
  say_event(w, "h", way(w), chance(w, 0.5) ? "n := n + 10;" : "y := y - 0.75; n := n + 10;");
  say_event(w, "k", way(w), "n := n + 100; y := pre(y) + 0.125;");
  close_model(w);
}

/* Several flags at one instant, in order of declaration, each reading what those before it wrote. */
static void one_instant(writer *w) {
  double t = decimal(w, 0.7, 2.2, 0.1), u = t + decimal(w, 0.3, 1.0, 0.1);
  open_model(w,
             "state(a, real); state(b, real); mode(m, {\"i\", \"j\", \"k\"}); flag(f); flag(g); "
             "flag(h); flag(last); "
             "flag(again);",
             "a := 1.0; b := 2.0; m := \"i\";");
  say(w, "      a' = 0.1*b; b' = if m = \"k\" then -1.0 else 0.2;\n");
  say(w, "      f = time - %.1f;\n      g = %.2f - %.2f*time;\n", t, 2.0 * t, 2.0);
  say(w,
      "      h = m = \"j\";\n      last = time - %.1f;\n      again = b - a - %.1f;\n    end "
      "dynamics;\n",
      u, decimal(w, -2, 2, 0.3));
  say_event(w, "f", "positive-going", "a := a + b; b := a;");
  say_event(w, "g", "negative-going",
            chance(w, 0.5) ? "m := \"j\"; a := 2.0*a;" : "m := \"j\"; b := pre(b) + a;");
  say_event(w, "h", "positive-going", "m := \"k\"; b := b - 3.0;");
  if (chance(w, 0.3))
    say_event(w, "last", "positive-going", chance(w, 0.5) ? "stop(\"done\");" : "fail(\"no\");");
  say_event(w, "again", way(w), "a := 0.5*a;");
  close_model(w);
}

/* Flags that are zero at the start, or after a reset, with rates that may be zero, too: x is t^2/2, y is t. */
static void tangent_start(writer *w) {
  double a = decimal(w, -1.0, 1.0, 0.125), b = decimal(w, -0.75, 0.75, 0.125);
  w->until = 3.71;
  say(w,
      "ctc M is\n  body\n    declarations state(x, real); state(y, real); state(n, integer); "
      "flag(f); flag(g); "
      "flag(h); flag(go); flag(c); end declarations;\n    initial x := 0.0; y := 0.0; n := 0; end "
      "initial;\n    dynamics\n");
  say(w, "      x' = y; y' = 1.0;\n      f = x - %.3f*y^2;\n", a == 0.5 ? 0.375 : a);
  say(w, "      g = %.3f*y + %.3f*x + %.2f*y^3;\n", chance(w, 0.5) ? 0.0 : b, b,
      decimal(w, -0.5, 0.5, 0.25));
  say(w, "      h = y*(y - %.3f)*(y - %.3f);\n      go = time - %.2f;\n", decimal(w, 0.3, 2, 0.125),
      decimal(w, 2.1, 3, 0.125), decimal(w, 0.53, 1.93, 0.2));
  double corner = decimal(w, 0.25, 1.5, 0.125); /* slope zero on both sides */
  say(w, "      c = (y - %.3f)*abs(y - %.3f);\n    end dynamics;\n", corner, corner);
  say_event(w, "go", "positive-going",
            chance(w, 0.4) ? "x := 0.0; y := 0.0; n := n + 1;" : "n := n + 1;");
  say_event(w, "f", "positive-going", "n := n + 10;");
  say_event(w, "h", "negative-going", "n := n + 100;");
  close_model(w);
}

/* A value leaves its range, or not. */
static void ranges(writer *w) {
  open_model(w,
             "state(x, real, (-1.0, 2.0)); state(y, real, (0.0, 3.0)); state(n, integer); flag(f);",
             "x := 0.1; y := 1.5; n := 0;");
  words in = driver_words();
  say(w, "      x' = ");
  say_value(w, &in, 2);
  say(w,
      ";\n      y' = %.2f*p + (if x > %.1f then -0.4 else 0.3);\n      f = x - y + %.2f;\n    end "
      "dynamics;\n",
      decimal(w, -1, 1, 0.13), decimal(w, 0, 1.5, 0.3), decimal(w, -0.5, 1.5, 0.17));
  say_event(w, "f", way(w), "y := y - 0.7; n := n + 1;");
  close_model(w);
}

/* Nothing but time: a step may be as long as the run, and hold pulses that do not show where it begins, or a fast flag
 * that is quiet for long. */
static void long_steps(writer *w) {
  say(w, "ctc M is\n  body\n    declarations state(y, real); flag(f); flag(g); end declarations;\n"
         "    initial y := 0.0; end initial;\n    dynamics\n      y' = 1.0;\n");
  if (chance(w, 0.7)) {
    say(w, "      f = exp(-(%.1f*(y - %.2f))^2) - 0.5;\n", decimal(w, 1, 8, 0.7),
        decimal(w, 0.9, 4.2, 0.19));
    say(w, "      g = %s(%.1f*(y - %.2f)) + %.2f;\n", chance(w, 0.5) ? "tanh" : "sin",
        decimal(w, 3, 20, 1.7), decimal(w, 1.2, 4.2, 0.23), decimal(w, -0.6, 0.6, 0.3));
  } else {
    w->until = 8.0;
    say(w,
        "      f = sin(%.1f*time) - 0.3 - 1.2*(1.0 - tanh(400.0*(y - %.2f)));\n      g = y - "
        "9.0;\n",
        decimal(w, 600, 700, 7.3), decimal(w, 6.1, 7.3, 0.17));
  }
  say(w, "    end dynamics;\n");
  close_model(w);
}

/* Guards with roots close together, of high order, fast ones. */
static void guards(writer *w) {
  if (chance(w, 0.3)) {
    long_steps(w);
    return;
  }
  double r = decimal(w, 0.5, 3.5, 0.17);
  open_model(w, "state(y, real); flag(f); flag(g); flag(h); flag(c);", "y := 0.0;");
  say(w, "      y' = 1.0;\n      f = (y - %.2f)*(y - %.3f)*(y - %.2f);\n", r,
      r + decimal(w, 0.01, 0.2, 0.013), decimal(w, 0.5, 4.5, 0.23));
  say(w,
      "      g = sin(%.1f*time) - %.2f;\n      h = exp(-(%.1f*(y - %.2f))^2) - 0.5;\n      c = "
      "p*q*%.1f - s + %.2f;\n",
      decimal(w, 5, 40, 1.3), decimal(w, -0.8, 0.9, 0.17), decimal(w, 1, 8, 0.7),
      decimal(w, 0.5, 4.5, 0.19), decimal(w, 1, 3, 0.3), decimal(w, -0.5, 0.9, 0.13));
  say(w, "    end dynamics;\n");
  close_model(w);
}

const generate_kind generate_events[] = {
    {"resets", resets, false, false, false},
    {"boolean-flags", boolean_flags, false, false, false},
    {"thermostat", thermostat, false, false, false},
    {"jumps", jumps, false, false, false},
    {"one-instant", one_instant, false, false, false},
    {"tangent-start", tangent_start, false, true, false},
    {"ranges", ranges, false, false, false},
    {"guards", guards, false, false, false},
};
const size_t generate_events_count = sizeof generate_events / sizeof *generate_events;
