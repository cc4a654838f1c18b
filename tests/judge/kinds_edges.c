/* kinds_edges.c: models with surfaces that hold the state (sliding, contacts at rest) and with edges past which there is
 * nothing. */
#include "judge/phrases.h"

static void close_model(writer *w) {
  say(w, "  end body;\nend M;\n");
}

/* One surface in two and more equations, written in different ways. */
static void sliding_shared(writer *w) {
  double a = decimal(w, 0.2, 0.9, 0.1), k = decimal(w, 1.2, 2.5, 0.1);
  say(w, "ctc M is\n  body\n    declarations state(v1, real); state(v2, real); state(c, real); "
         "state(d, real); state(e, real); end declarations;\n");
  say(w,
      "    initial v1 := %.1f; v2 := %.1f; c := 0.0; d := 0.0; e := 0.0; end initial;\n    "
      "dynamics\n",
      decimal(w, -1, 1, 0.2), decimal(w, -1, 1, 0.3));
  say(w, "      v1' = %.1f*sin(%.1f*time) - %.1f*sign(v1 - v2);\n", a, decimal(w, 1, 3, 0.2), k);
  say(w, "      v2' = %.1f*%s;\n", decimal(w, 0.3, 1.5, 0.2),
      chance(w, 0.5) ? "sign(v1 - v2)" : "(if v2 > v1 then -1.0 else 1.0)");
  say(w,
      "      c' = if v1 > v2 then %.1f else %.1f;\n      d' = if 2.0*v2 >= 2.0*v1 then 1.0 else "
      "0.2*v1;\n",
      decimal(w, 0.5, 2, 0.3), decimal(w, -1, 0.3, 0.2));
  /* the same surface, which no algebra shows */
  say(w, "      e' = if %s then 1.0 else %.1f;\n    end dynamics;\n",
      chance(w, 0.5) ? "exp(v1) > exp(v2)" : "tanh(v2 - v1) > 0.0", decimal(w, -0.6, 0.4, 0.2));
  close_model(w);
}

/* An ideal thermostat, and what it costs. */
static void sliding_thermostat(writer *w) {
  say(w,
      "ctc M is\n  body\n    declarations state(T, real); state(cost, real); state(n, integer); "
      "variable(outside, real); flag(late); "
      "end declarations;\n    initial T := %.1f; cost := 0.0; n := 0; end initial;\n    dynamics\n",
      decimal(w, 18, 22, 0.3));
  say(w, "      outside = %.1f + %.1f*cos(%.2f*time);\n", decimal(w, 3, 8, 0.6),
      decimal(w, 1, 4, 0.7), decimal(w, 0.5, 2, 0.15));
  say(w, "      T' = %.2f*(outside - T) + (if T %s 20.0 then %.1f else 0.0);\n",
      decimal(w, 0.3, 0.7, 0.1), chance(w, 0.5) ? "<" : "<=", decimal(w, 13, 22, 0.9));
  say(w, "      cost' = if %s then 1.0 else 0.0;\n      late = cost - %.2f;\n    end dynamics;\n",
      chance(w, 0.5) ? "T < 20.0" : "20.0 - T > 0.0", decimal(w, 0.5, 2.0, 0.3));
  say(w, "    event(late) positive-going n := n + 1; end positive-going; end event;\n");
  close_model(w);
}

/* Friction: sticks and slips under a force that changes. */
static void stick_slip(writer *w) {
  w->until = 6.0;
  say(w, "ctc M is\n  body\n    declarations state(x, real); state(v, real); state(heat, real); "
         "flag(s); flag(there); end declarations;\n");
  say(w, "    initial x := 0.0; v := %.2f; heat := 0.0; end initial;\n    dynamics\n",
      decimal(w, -1, 1, 0.13));
  say(w, "      s = v;\n      x' = v;\n      v' = %.2f*sin(%.2f*time + %.1f) - %.2f*x - %.2f*%s;\n",
      decimal(w, 0.6, 2.5, 0.21), decimal(w, 0.8, 2.5, 0.17), decimal(w, 0, 3, 0.4),
      decimal(w, 0.0, 0.8, 0.2), decimal(w, 0.4, 1.3, 0.13), chance(w, 0.5) ? "sgn(s)" : "sign(v)");
  say(w, "      heat' = v*%s;\n      there = x - %.2f;\n    end dynamics;\n",
      chance(w, 0.5) ? "sign(v)" : "sgn(s)", decimal(w, -0.3, 0.5, 0.07));
  close_model(w);
}

/* A ball that bounces, and comes to rest by a mode. */
static void bounce(writer *w) {
  say(w, "ctc M is\n  body\n    declarations state(h, real); state(v, real); mode(m, {\"flies\", "
         "\"rests\"}); state(n, integer); "
         "flag(floor, unilateral); flag(kick); end declarations;\n");
  say(w,
      "    initial h := %.2f; v := %.2f; m := \"flies\"; n := 0; end initial;\n    dynamics\n      "
      "h' = v;\n"
      "      if m = \"flies\" then v' = -%.2f - %.2f*v*abs(v); else v' = 0.0; end if;\n      floor "
      "= h;\n      kick = time - %.2f;\n"
      "    end dynamics;\n",
      decimal(w, 0.5, 2, 0.13), decimal(w, -1, 1, 0.17), decimal(w, 5, 10, 0.61),
      decimal(w, 0.0, 0.2, 0.05), decimal(w, 2, 4.5, 0.23));
  say(w,
      "    event(floor)\n      negative-going\n        n := n + 1;\n        if v > -%.1f then v := "
      "0.0; m := \"rests\"; else v := -%.2f*v; "
      "end if;\n      end negative-going;\n    end event;\n",
      decimal(w, 0.5, 1.5, 0.3), decimal(w, 0.5, 0.8, 0.07));
  say(w,
      "    event(kick) positive-going v := v + %.1f; m := \"flies\"; end positive-going; end "
      "event;\n",
      decimal(w, 1.5, 4, 0.4));
  close_model(w);
}

/* A unilateral wall whose formula switches on the way. */
static void switching_wall(writer *w) {
  double c = decimal(w, 0.5, 1.5, 0.25), d = decimal(w, 1.0, 2.0, 0.25);
  words in = driver_words();
  say(w, "ctc M is\n  body\n    declarations ");
  say_driver_declarations(w);
  say(w,
      "state(x, real); state(v, real); state(n, integer); flag(wall, unilateral); flag(back%s); "
      "end declarations;\n    initial ",
      chance(w, 0.5) ? ", unilateral" : "");
  say_driver_initial(w);
  say(w, "x := 0.0; v := %.2f; n := 0; end initial;\n    dynamics\n      ",
      decimal(w, 0.8, 2, 0.11));
  say_driver_dynamics(w);
  say(w, "\n      x' = v; v' = %.2f;\n", decimal(w, -0.2, 0.2, 0.05));
  switch (pick(w, 4)) {
  case 0:
    say(w, "      wall = if x > %.2f then %.4f - (x - %.2f)^2 else %.4f;\n", c, d * d, c, d * d);
    break;
  case 1:
    say(w, "      wall = min(%.2f, %.2f - x*abs(x), %.2f - x);\n", d, d * d + 1.0, d + 1.5);
    break;
  case 2:
    say(w, "      wall = if time < %.2f then %.2f - x else %.2f - 0.5*x;\n",
        decimal(w, 0.5, 3, 0.3), d + 1.0, d + 0.5);
    break;
  default:
    say(w, "      wall = %.2f - max(x, %.1f*x - %.2f, 0.2) + 0.1*max(0.0, ", d + 1.0,
        decimal(w, 1.5, 2.5, 0.5), c);
    say_signal(w, &in);
    say(w, ");\n");
    break;
  }
  say(w, "      back = x + %.2f;\n    end dynamics;\n", decimal(w, 0.3, 1, 0.1));
  say(w,
      "    event(wall) negative-going v := -abs(v); n := n + 1; end negative-going; end event;\n");
  say(w,
      "    event(back) negative-going v := abs(v); n := n + 10; end negative-going; end event;\n");
  close_model(w);
}

/* A tank that runs empty with slope zero, and is filled again. */
static void tank(writer *w) {
  w->until = 8.0;
  say(w, "ctc M is\n  body\n    declarations state(h, real); state(z, real); mode(m, {\"drain\", "
         "\"fill\"}); state(n, integer); flag(empty, unilateral); "
         "flag(full); end declarations;\n");
  say(w, "    initial h := %.2f; z := 0.0; m := \"drain\"; n := 0; end initial;\n    dynamics\n",
      decimal(w, 0.3, 1.5, 0.13));
  say(w, "      h' = if m = \"drain\" then -%.1f*%s - %.2f else %.2f;\n", decimal(w, 0.8, 2, 0.2),
      chance(w, 0.5) ? "sqrt(h)" : "sqrt(max(h, 0.0))",
      chance(w, 0.4) ? 0.0 : decimal(w, 0.05, 0.3, 0.05), decimal(w, 1, 4, 0.3));
  say(w,
      "      z' = cos(time) + (if h > %.2f then 0.5 else 0.0);\n      empty = h;\n      full = h - "
      "%.2f;\n    end dynamics;\n",
      decimal(w, 0.1, 1, 0.17), decimal(w, 1.6, 2.2, 0.1));
  say(w, "    event(empty) negative-going m := \"fill\"; n := n + 1; end negative-going; end "
         "event;\n");
  say(w, "    event(full) positive-going m := \"drain\"; end positive-going; end event;\n");
  close_model(w);
}

/* Fields that do not exist past the edge, which is met with a clear slope. */
static void domain(writer *w) {
  double c = decimal(w, 1, 3, 0.25), v = decimal(w, 0.5, 1.5, 0.125);
  static const char *const before[] = {"log(", "sqrt(", "(", "asin(1.0 - 0.25*("};
  static const char *const after[] = {")", ")", ")^0.3", "))"};
  int field = pick(w, 4);
  say(w,
      "ctc M is\n  body\n    declarations state(x, real); state(v, real); state(u, real); state(n, "
      "integer); flag(edge, unilateral); flag(home); "
      "end declarations;\n    initial x := 0.0; v := %.3f; u := 0.0; n := 0; end initial;\n    "
      "dynamics\n      x' = v;\n      v' = %.2f;\n      u' = ",
      v, decimal(w, -0.1, 0.1, 0.05));
  say(w, "%s%.2f - x%s", before[field], field == 0 ? c + 0.05 : c, after[field]);
  say(w, ";\n      edge = %.2f - x;\n      home = x - %.2f;\n    end dynamics;\n", c,
      decimal(w, -0.5, -0.1, 0.1));
  say(w,
      "    event(edge) negative-going v := -%.2f*v; n := n + 1; %s end negative-going; end "
      "event;\n",
      decimal(w, 0.6, 1, 0.1), chance(w, 0.5) ? "" : "x := x - 0.25;");
  say(w,
      "    event(home) negative-going v := abs(v); n := n + 10; end negative-going; end event;\n");
  close_model(w);
}

/* Nothing leads away from the edge: the run ends there; or an action changes the field, and it goes on. */
static void blocked(writer *w) {
  say(w,
      "ctc M is\n  body\n    declarations state(x, real); state(y, real); mode(m, {\"on\", "
      "\"off\"}); flag(edge, unilateral); flag(f); "
      "end declarations;\n    initial x := %.2f; y := 0.0; m := \"on\"; end initial;\n    "
      "dynamics\n",
      decimal(w, 0.5, 2, 0.2));
  say(w,
      "      x' = if m = \"on\" then -%.2f else %.2f;\n      y' = if x > %.2f then 1.0 else "
      "sqrt(x);\n",
      decimal(w, 0.4, 1, 0.1), decimal(w, 0.1, 0.5, 0.1), decimal(w, 0.1, 0.6, 0.1));
  say(w, "      edge = %s;\n      f = y - %.2f;\n    end dynamics;\n",
      chance(w, 0.5) ? "x" : "min(x, 0.5*x + 0.4)", decimal(w, 0.5, 2, 0.2));
  if (chance(w, 0.6))
    say(w, "    event(edge) negative-going m := \"off\"; end negative-going; end event;\n");
  else if (chance(w, 0.6)) /* a point of the same right-hand side */
    say(w, "    event(edge) negative-going x := 0.0; end negative-going; end event;\n");
  say(w, "    event(f) positive-going %s end positive-going; end event;\n",
      chance(w, 0.3) ? "m := \"off\";" : "y := y - 0.3;");
  close_model(w);
}

const generate_kind generate_edges[] = {
    {"sliding-shared", sliding_shared, false, false, false},
    {"sliding-thermostat", sliding_thermostat, false, false, false},
    {"stick-slip", stick_slip, false, false, false},
    {"bounce", bounce, false, false, false},
    {"switching-wall", switching_wall, false, false, false},
    {"tank", tank, false, false, true},
    {"domain-edge", domain, false, false, true},
    {"blocked", blocked, false, false, true},
};
const size_t generate_edges_count = sizeof generate_edges / sizeof *generate_edges;
