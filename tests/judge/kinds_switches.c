/* kinds_switches.c: models whose equations switch: conditions inside conditions, one relation in many places, branches
 * that share corners, flags that read corners. */
#include "judge/phrases.h"

/* What is integrated, and never read: its value tells every switch that came at a wrong time. */
static void open_model(writer *w, int integrals, const char *more) {
  say(w, "ctc M is\n  body\n    declarations\n      ");
  say_driver_declarations(w);
  for (int k = 1; k <= integrals; k++) say(w, "state(z%d, real); ", k);
  say(w, "\n      %s\n    end declarations;\n    initial\n      ", more);
  say_driver_initial(w);
  for (int k = 1; k <= integrals; k++) say(w, "z%d := 0.0; ", k);
}

static void open_dynamics(writer *w) {
  say(w, "\n    end initial;\n    dynamics\n      ");
  say_driver_dynamics(w);
  say(w, "\n");
}

static void close_model(writer *w) {
  say(w, "    end dynamics;\n  end body;\nend M;\n");
}

static void nested(writer *w) {
  words in = driver_words();
  open_model(w, 2, "variable(v, real);");
  open_dynamics(w);
  say(w, "      v = ");
  say_value(w, &in, 2);
  say(w, ";\n      z1' = ");
  say_value(w, &in, 3);
  say(w, ";\n      z2' = v + ");
  say_value(w, &in, 2);
  say(w, ";\n");
  close_model(w);
}

/* Nothing but time: in one long step, another condition begins to be watched where the field stays as it is. */
static void long_program(writer *w) {
  double t = decimal(w, 0.3, 2.5, 0.11);
  say(w,
      "ctc M is\n  body\n    declarations state(x, real); state(y, real); end declarations;\n    "
      "initial x := %.2f; y := 0.0; end initial;\n    dynamics\n      x' = 1.0;\n",
      decimal(w, -1.0, 1.0, 0.25));
  say(w, "      y' = if time < %.2f then sign(x - 9.0) else sign(x - %.2f);\n", t,
      t + decimal(w, -0.7, 2.0, 0.13));
  say(w, "    end dynamics;\n  end body;\nend M;\n");
}

static void time_program(writer *w) {
  if (chance(w, 0.2)) {
    long_program(w);
    return;
  }
  words in = driver_words();
  double t = 0.0;
  open_model(w, 2, "");
  open_dynamics(w);
  say(w, "      z1' = ");
  for (int k = 0, n = 2 + pick(w, 3); k < n; k++) {
    t += decimal(w, 0.2, 1.3, 0.11);
    say(w, " %s time %s %.2f then ", k == 0 ? "if" : "elsif", chance(w, 0.5) ? "<" : "<=", t);
    say_value(w, &in, pick(w, 3));
  }
  say(w, " else ");
  say_value(w, &in, 1);
  say(w, ";\n      z2' = if mod(time, %.1f) < %.2f then ", decimal(w, 0.8, 1.6, 0.2),
      decimal(w, 0.2, 0.7, 0.09));
  say_value(w, &in, 1);
  say(w, " else ");
  say_value(w, &in, 1);
  say(w, ";\n");
  close_model(w);
}

/* One relation, its negation, both sides exchanged, a positive factor, in equations that know nothing of each other. */
static void shared(writer *w) {
  words in = driver_words();
  double c = decimal(w, -0.6, 0.7, 0.07);
  const char *a = in.signal[pick(w, 3)];
  open_model(w, 4, "variable(u, real);");
  open_dynamics(w);
  say(w, "      u = if %s > %.2f then ", a, c);
  say_value(w, &in, 1);
  say(w, " else ");
  say_value(w, &in, 1);
  say(w, ";\n      z1' = if %s > %.2f then u else -u;\n", a, c);
  say(w, "      z2' = if not (%s <= %.2f) then 1.0 else %.1f*sign(%s - %.2f);\n", a, c,
      decimal(w, 0.2, 1.4, 0.3), a, c);
  say(w, "      z3' = if %.2f > %s then ", c, a);
  say_value(w, &in, 1);
  say(w, " else 0.5*abs(%s - %.2f);\n", a, c);
  say(w, "      z4' = if 2.0*%s < %.2f then 1.0 else max(%s, %.2f);\n", a, 2.0 * c, a, c);
  close_model(w);
}

/* A mode decides, and both branches have the same corners. */
static void mode_branches(writer *w) {
  words in = driver_words();
  double c = decimal(w, -0.5, 0.6, 0.11), k = decimal(w, 0.4, 1.5, 0.1);
  open_model(w, 2, "state(v, real); mode(m, {\"one\", \"two\"}); flag(up); flag(down);");
  say(w, "v := %.2f; m := \"%s\";", decimal(w, -1.0, 1.0, 0.07), chance(w, 0.5) ? "one" : "two");
  open_dynamics(w);
  say(w,
      "      if m = \"one\" then\n        v' = 1.0 - %.1f*v*abs(v);\n        z1' = abs(p - "
      "%.2f);\n        z2' = ",
      k, c);
  say_value(w, &in, 2);
  say(w,
      ";\n      else\n        v' = -1.0 - %.1f*v*abs(v);\n        z1' = 1.0 - abs(p - %.2f);\n     "
      "   z2' = ",
      k, c);
  say_value(w, &in, 2);
  say(w, ";\n      end if;\n      up = p - %.2f;\n      down = q - %.2f;\n    end dynamics;\n",
      decimal(w, -0.5, 0.6, 0.09), decimal(w, -0.5, 0.6, 0.08));
  say(w, "    event(up) positive-going m := \"two\"; end positive-going; end event;\n");
  say(w, "    event(down) %s m := \"one\"; end %s; end event;\n  end body;\nend M;\n",
      chance(w, 0.5) ? "positive-going" : "positive-going", "positive-going");
}

/* A statement if on relations, one inside another. */
static void statement_if(writer *w) {
  words in = driver_words();
  open_model(w, 2, "variable(v, real);");
  open_dynamics(w);
  say(w, "      if ");
  say_condition(w, &in, 1);
  say(w, " then\n        v = ");
  say_value(w, &in, 1);
  say(w, ";\n        if ");
  say_condition(w, &in, 1);
  say(w, " then z1' = ");
  say_value(w, &in, 1);
  say(w, "; else z1' = v; end if;\n      elsif ");
  say_condition(w, &in, 1);
  say(w, " then\n        v = ");
  say_value(w, &in, 2);
  say(w, ";\n        z1' = -v;\n      else\n        v = %.2f;\n        z1' = ",
      decimal(w, -1, 1, 0.13));
  say_value(w, &in, 2);
  say(w, ";\n      end if;\n      z2' = v*v;\n");
  close_model(w);
}

/* Declared flags with corners in their formulas, read by sgn inside branches. */
static void flags_with_corners(writer *w) {
  words in = driver_words();
  open_model(w, 2, "flag(f); flag(g); flag(h);");
  open_dynamics(w);
  say(w, "      f = ");
  say_value(w, &in, 2);
  say(w, " - %.3f;\n      g = abs(p - %.2f) - %.3f;\n      h = if ", decimal(w, -0.4, 0.5, 0.137),
      decimal(w, -0.3, 0.4, 0.07), decimal(w, 0.1, 0.8, 0.083));
  say_condition(w, &in, 1);
  say(w, " then ");
  say_value(w, &in, 1);
  say(w, " - %.3f else ", decimal(w, -0.4, 0.5, 0.119));
  say_value(w, &in, 1);
  say(w, " - %.3f;\n", decimal(w, -0.4, 0.5, 0.127));
  in.flag[0] = "f";
  in.flag[1] = "g";
  in.flag[2] = "h";
  in.nflags = 3;
  say(w, "      z1' = ");
  say_value(w, &in, 2);
  say(w, ";\n      z2' = if q > %.2f then sgn(f) + 2.0*sgn(g) else sgn(h)*",
      decimal(w, -0.4, 0.4, 0.09));
  say_value(w, &in, 1);
  say(w, ";\n");
  close_model(w);
}

/* Functions of the model, and a loop over a vector. */
static void functions(writer *w) {
  words in = driver_words();
  say(w, "function zone(u, d) = if u > d then u - d elsif u < -d then u + d else 0.0;\n");
  say(w, "function sat(u, lo, hi) = min(hi, max(lo, u));\n");
  open_model(w, 3, "variable(c[3], real); state(y[3], real);");
  say(w, "y := [0.0, %.1f, 0.0];", decimal(w, -1, 1, 0.2));
  open_dynamics(w);
  say(w, "      c = [p, q, %.1f*p - q];\n", decimal(w, 0.3, 1.5, 0.2));
  say(w,
      "      for i in 1..3 loop\n        y[i]' = zone(c[i], %.2f) - if c[i] > %.2f then 0.5 else "
      "sat(c[i], -0.4, 0.3);\n"
      "      end loop;\n",
      decimal(w, 0.1, 0.7, 0.11), decimal(w, -0.5, 0.5, 0.13));
  say(w, "      z1' = zone(sat(");
  say_value(w, &in, 1);
  say(w, ", -0.7, 0.9), %.2f) + dot(c, y)*0.1;\n      z2' = norm(c) + sum(c)*zone(q, 0.2);\n",
      decimal(w, 0.1, 0.5, 0.07));
  say(w, "      z3' = floor(%.1f*p + %.2f);\n", decimal(w, 1.7, 3.1, 0.2),
      decimal(w, 0.0, 0.06, 0.01));
  close_model(w);
}

const generate_kind generate_switches[] = {
    {"nested", nested, false, false, false},
    {"time-program", time_program, false, false, false},
    {"shared-relation", shared, false, false, false},
    {"mode-branches", mode_branches, false, false, false},
    {"statement-if", statement_if, false, false, false},
    {"flags-with-corners", flags_with_corners, false, false, false},
    {"functions", functions, false, false, false},
};
const size_t generate_switches_count = sizeof generate_switches / sizeof *generate_switches;
