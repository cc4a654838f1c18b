/* kinds_parts.c: models of several components: rules, samples, nested composites, and agents that meet in pairs. */
#include "judge/phrases.h"

static void say_plant(writer *w, const char *inputs, const char *drive) {
  say(w,
      "ctc Plant is\n  interface %s output(yp, signal); output(yq, signal); end interface;\n  "
      "body\n    declarations ",
      inputs);
  say_driver_declarations(w);
  say(w, "state(x, real); end declarations;\n    initial ");
  say_driver_initial(w);
  say(w, "x := %.2f; end initial;\n    dynamics\n      ", decimal(w, -0.5, 0.5, 0.09));
  say_driver_dynamics(w);
  say(w,
      "\n      x' = %s;\n    end dynamics;\n    output yp = p; yq = %s; end output;\n  end "
      "body;\nend Plant;\n",
      drive, chance(w, 0.5) ? "q" : "x");
}

/* Rules in chains; some become true together, and then each reads what earlier ones wrote. */
static void rules(writer *w) {
  double a = decimal(w, -0.6, 0.6, 0.13);
  say_plant(w, "input(m, string, {\"idle\", \"up\", \"down\"}); input(k, real);",
            "(if m = \"up\" then 1.0 elsif m = \"down\" then -0.8 else 0.1) + 0.05*k - 0.2*x");
  say(w, "lbc Logic is\n  interface input(a, real); input(b, real); output(m, string, {\"idle\", "
         "\"up\", \"down\"}); "
         "output(k, real); end interface;\n  body\n"
         "    declarations mode(s, {\"idle\", \"up\", \"down\"}); state(n, integer); state(c, "
         "integer); end declarations;\n"
         "    initial s := \"idle\"; n := 0; c := 0; end initial;\n    rules\n");
  say(w, "      when s = \"idle\" and a > %.2f do s := \"up\"; n := n + 1; end when;\n", a);
  say(w,
      "      when s = \"idle\" and (a > %.2f or b > %.2f) do s := \"down\"; n := n + 10; end "
      "when;\n",
      a, decimal(w, -0.5, 0.9, 0.17));
  if (chance(w, 0.1)) /* often a cycle: an error that names the rules */
    say(w, "      when s = \"up\" and b > %.2f do s := \"idle\"; c := c + n; end when;\n",
        decimal(w, -0.5, 0.5, 0.11));
  else
    say(w, "      when s = \"up\" and a %s %.2f do s := \"%s\"; c := c + n; end when;\n",
        chance(w, 0.5) ? "<" : ">", a + decimal(w, 0.1, 0.6, 0.11),
        chance(w, 0.5) ? "down" : "idle");
  say(w,
      "      when a < %.2f do s := if s = \"down\" then \"idle\" else \"down\"; n := n + 100; end "
      "when;\n",
      a - decimal(w, 0.1, 0.5, 0.1));
  if (chance(w, 0.5)) say(w, "      when n > %d do c := c + 1; end when;\n", 1 + pick(w, 12));
  say(w, "    end rules;\n    output m = s; k = c; end output;\n  end body;\nend Logic;\n");
  say(w, "composite Top is\n  body\n    components plant : Plant; logic : Logic; end components;\n "
         "   connections\n"
         "      connect(plant.yp, logic.a); connect(plant.yq, logic.b);\n"
         "      connect(logic.m, plant.m); connect(logic.k, plant.k);\n    end connections;\n  end "
         "body;\nend Top;\n");
}

static void say_sampler(writer *w, const char *name, double period, double offset, int priority) {
  say(w,
      "dtc %s is\n  interface input(u, real); input(v, real); output(y, real); end interface;\n  "
      "body\n"
      "    declarations sample(%.2f, %.2f); priority(%d); state(i, real); state(n, integer); end "
      "declarations;\n"
      "    initial i := %.1f; n := 0; end initial;\n",
      name, period, offset, priority, decimal(w, -1, 1, 0.3));
  say(w, "    update i := %.1f*i + if u > v then %.2f*u else 0.3*v; n := n + 1; end update;\n",
      decimal(w, 0.2, 0.9, 0.1), decimal(w, -0.9, 0.9, 0.2));
  say(w, "    output y = min(1.5, max(-1.5, i + %.2f*u)); end output;\n  end body;\nend %s;\n",
      decimal(w, -0.9, 0.9, 0.21), name);
}

/* Samples that coincide, feed each other and the plant, and act on flags. */
static void samples(writer *w) {
  static const double periods[] = {0.1, 0.2, 0.3, 0.25, 0.5, 0.15};
  w->until = 3.0;
  say(w,
      "ctc Plant is\n  interface input(a, real); input(b, real); output(y, signal); end "
      "interface;\n  body\n"
      "    declarations state(x, real); state(v, real); state(z, real); state(c, integer); "
      "flag(f); flag(g); end declarations;\n"
      "    initial x := %.2f; v := %.2f; z := 0.0; c := 0; end initial;\n    dynamics\n"
      "      x' = v; v' = -%.1f*x + a; z' = if x > %.2f then b else abs(x - a);\n"
      "      f = x - %.2f; g = a - b + %.3f;\n    end dynamics;\n    output y = x; end output;\n"
      "    event(f) positive-going c := c + 1; v := %.1f*v; end positive-going; end event;\n"
      "    event(g) positive-going c := c + 10; end positive-going; end event;\n  end body;\nend "
      "Plant;\n",
      decimal(w, -1, 1, 0.13), decimal(w, -1, 1, 0.17), decimal(w, 1, 4, 0.3),
      decimal(w, -0.4, 0.4, 0.07), decimal(w, -0.5, 0.5, 0.11), decimal(w, -0.4, 0.4, 0.117),
      decimal(w, 0.3, 0.9, 0.2));
  say_sampler(w, "One", periods[pick(w, 6)], chance(w, 0.6) ? 0.0 : 0.05, pick(w, 3));
  say_sampler(w, "Two", periods[pick(w, 6)], chance(w, 0.6) ? 0.0 : 0.1, pick(w, 3));
  say(w, "composite Top is\n  body\n    components plant : Plant; one : One; two : Two; end "
         "components;\n    connections\n"
         "      connect(plant.y, one.u); connect(plant.y, two.u); connect(one.y, two.v); "
         "connect(two.y, one.v);\n"
         "      connect(one.y, plant.a); connect(two.y, plant.b);\n    end connections;\n  end "
         "body;\nend Top;\n");
}

/* All three kinds in composites inside a composite, with arrays. */
static void assembly(writer *w) {
  w->until = 3.0;
  say(w,
      "ctc Cell is\n  interface input(u, real); input(drive, signal); output(y, signal); knob(k); "
      "end interface;\n  body\n"
      "    declarations state(x, real); parameter(k, real); flag(top); state(hits, integer); end "
      "declarations;\n"
      "    initial x := 0.0; hits := 0; end initial;\n"
      "    dynamics x' = u + (if drive > %.2f then drive elsif drive < -0.3 then -k else 0.2*k) - "
      "k*x; top = x - %.2f; "
      "end dynamics;\n    output y = x; end output;\n"
      "    event(top) positive-going x := x - 0.3; hits := hits + 1; end positive-going; end "
      "event;\n"
      "    assignments k : 1.0; end assignments;\n  end body;\nend Cell;\n",
      decimal(w, -0.2, 0.4, 0.07), decimal(w, 0.2, 0.7, 0.09));
  say(w,
      "ctc Wave is\n  interface output(y, signal); end interface;\n  body\n    declarations "
      "state(p, real); state(v, real); end declarations;\n"
      "    initial p := %.2f; v := 0.3; end initial;\n    dynamics p' = v; v' = -%.2f*p; end "
      "dynamics;\n"
      "    output y = p; end output;\n  end body;\nend Wave;\n",
      decimal(w, -1, 1, 0.11), decimal(w, 2, 9, 0.3));
  say(w,
      "dtc Hold is\n  interface input(u, real); output(y, real); knob(g); end interface;\n  body\n"
      "    declarations sample(%.2f, %.2f); state(m, real); parameter(g, real); end declarations;\n"
      "    initial m := 0.0; end initial;\n    update m := 0.5*m + u; end update;\n"
      "    output y = g*m + (if u > m then 0.2 else -0.1); end output;\n"
      "    assignments g : 0.3; end assignments;\n  end body;\nend Hold;\n",
      decimal(w, 0.2, 0.6, 0.1), decimal(w, 0.0, 0.2, 0.1));
  say(w,
      "lbc Watch is\n  interface input(a, real); input(b, real); end interface;\n  body\n"
      "    declarations mode(who, {\"none\", \"first\", \"second\"}); state(n, integer); end "
      "declarations;\n"
      "    initial who := \"none\"; n := 0; end initial;\n    rules\n"
      "      when a > b + %.3f do who := \"first\"; n := n + 1; end when;\n"
      "      when b > a + %.3f do who := \"second\"; n := n + 1; end when;\n"
      "      when who /= \"none\" and a + b > %.2f do n := n + 100; end when;\n    end rules;\n  "
      "end body;\nend Watch;\n",
      decimal(w, 0.02, 0.2, 0.017), decimal(w, 0.02, 0.2, 0.013), decimal(w, 0.2, 0.9, 0.1));
  say(w,
      "composite Pairing is\n  interface input(w, signal); output(y1, signal); output(y2, signal); "
      "end interface;\n  body\n"
      "    components cell[2] : Cell(k : %.1f); hold[2] : Hold(g : %.2f); end components;\n    "
      "connections\n"
      "      for i in 1..2 loop connect(w, cell[i].drive); connect(hold[i].y, cell[i].u); end "
      "loop;\n"
      "      connect(cell[1].y, hold[2].u); connect(cell[2].y, hold[1].u);\n"
      "      connect(cell[1].y, y1); connect(cell[2].y, y2);\n    end connections;\n"
      "    initial cell[1].x := %.2f; cell[2].x := %.2f; end initial;\n  end body;\nend Pairing;\n",
      decimal(w, 0.5, 1.5, 0.2), decimal(w, -0.6, 0.6, 0.17), decimal(w, -0.3, 0.15, 0.05),
      decimal(w, -0.2, 0.1, 0.05));
  say(w, "composite Top is\n  body\n    components wave : Wave; pairing : Pairing; watch : Watch; "
         "end components;\n"
         "    connections connect(wave.y, pairing.w); connect(pairing.y1, watch.a); "
         "connect(pairing.y2, watch.b); "
         "end connections;\n  end body;\nend Top;\n");
}

/* ---- agents ---- */

static void say_ball(writer *w, const char *name, const char *more, const char *rate) {
  say(w,
      "ctc %s is\n  interface knob(r); end interface;\n  body\n    declarations state(x, real); "
      "state(v, real); parameter(m, real); parameter(r, real);%s "
      "end declarations;\n    dynamics x' = v; v' = %s; end dynamics;\n"
      "    assignments m : 1.0; r : 0.1; end assignments;\n  end body;\nend %s;\n",
      name, more, rate, name);
}

static void say_impulse(writer *w, const char *e) {
  say(w,
      "let M = a.m + b.m; let u = a.v - b.v;\n          a.v := a.v - %s*b.m/M*u; b.v := b.v + "
      "%s*a.m/M*u;",
      e, e);
}

static void say_collision(writer *w, const char *direction) {
  say(w, "        event(gap) %s\n          ", direction);
  say_impulse(w, chance(w, 0.5) ? "2.0" : "1.8");
  say(w, "\n        end %s; end event;\n", direction);
}

/* Balls on a line, of different masses, that collide. */
static void line(writer *w) {
  int n = 3 + pick(w, 3);
  double x = 0.0;
  say_ball(w, "Ball", "", chance(w, 0.5) ? "0.0" : "-0.3*x");
  say(w,
      "system Line is\n  body\n    components ball[%d] : Ball(r : 0.1); end components;\n    "
      "initial\n",
      n);
  for (int k = 1; k <= n; k++) {
    say(w, "      ball[%d].x := %.2f; ball[%d].v := %.2f;\n", k, x, k, decimal(w, -1.2, 1.2, 0.07));
    x += decimal(w, 0.4, 1.2, 0.13);
  }
  say(w, "    end initial;\n    agents\n      population(ball);\n      pair(a, b) in ball\n"
         "        declarations flag(gap, unilateral); end declarations;\n"
         "        dynamics gap = b.x - a.x - (a.r + b.r); end dynamics;\n");
  say_collision(w, "negative-going");
  say(w, "      end pair;\n    end agents;\n  end body;\nend Line;\n");
}

/* Agents in the plane that pass each other: several flags for every pair, in one block or in two. */
static void near_and_far(writer *w) {
  int n = 2 + pick(w, 3);
  bool circles = chance(w, 0.5), blocks = chance(w, 0.5);
  say(w,
      "ctc Agent is\n  body\n    declarations state(x, real); state(y, real); state(vx, real); "
      "state(vy, real); "
      "state(n, integer); end declarations;\n    initial n := 0; end initial;\n    dynamics x' = "
      "vx; y' = vy; %s end dynamics;\n"
      "  end body;\nend Agent;\n",
      circles ? "vx' = -1.7*vy; vy' = 1.7*vx;" : "vx' = 0.0; vy' = 0.0;");
  say(w, "system Plane is\n  body\n    components car[%d] : Agent; end components;\n    initial\n",
      n);
  for (int k = 1; k <= n; k++)
    say(w, "      car[%d].x := %.2f; car[%d].y := %.2f; car[%d].vx := %.2f; car[%d].vy := %.2f;\n",
        k, decimal(w, -2.5, 2.5, 0.17), k, decimal(w, -2.5, 2.5, 0.13), k,
        decimal(w, -1.5, 1.5, 0.11), k, decimal(w, -1.5, 1.5, 0.19));
  say(w,
      "    end initial;\n    agents\n      population(car);\n      pair(a, b) in car\n        "
      "declarations flag(near); %s end declarations;\n",
      blocks ? "" : "flag(far);");
  say(w, "        dynamics near = hypot(a.x - b.x, a.y - b.y) - %.2f; ",
      decimal(w, 0.7, 1.5, 0.11));
  if (blocks)
    say(w, "end dynamics;\n        event(near) negative-going a.n := a.n + 1; end negative-going; "
           "end event;\n      end pair;\n"
           "      pair(a, b) in car\n        declarations flag(far); end declarations;\n        "
           "dynamics ");
  say(w, "far = hypot(a.x - b.x, a.y - b.y) - %.2f; end dynamics;\n", decimal(w, 1.8, 2.6, 0.13));
  say(w, "        event(far) negative-going b.n := b.n + 10; end negative-going; positive-going "
         "a.n := a.n + 100; "
         "end positive-going; end event;\n");
  say(w, "      end pair;\n    end agents;\n  end body;\nend Plane;\n");
}

/* Two sorts, pairs within and between them. */
static void two_sorts(writer *w) {
  double x = 0.0;
  say_ball(w, "Car", "", "0.0");
  say(w,
      "ctc Truck is\n  body\n    declarations state(x, real); state(v, real); state(hits, "
      "integer); parameter(m, real); parameter(r, real); end "
      "declarations;\n    initial hits := 0; end initial;\n    dynamics x' = v; v' = -%.2f*v; end "
      "dynamics;\n"
      "    assignments m : 3.0; r : 0.2; end assignments;\n  end body;\nend Truck;\n",
      decimal(w, 0.0, 0.3, 0.1));
  say(w, "system Road is\n  body\n    components car[2] : Car; truck[2] : Truck; end components;\n "
         "   initial\n");
  for (int k = 1; k <= 2; k++) {
    say(w, "      car[%d].x := %.2f; car[%d].v := %.2f;\n", k, x, k, decimal(w, 0.3, 1.5, 0.07));
    x += decimal(w, 0.6, 1.2, 0.13);
  }
  for (int k = 1; k <= 2; k++) {
    say(w, "      truck[%d].x := %.2f; truck[%d].v := %.2f;\n", k, x, k,
        decimal(w, -0.8, 0.2, 0.09));
    x += decimal(w, 0.7, 1.3, 0.11);
  }
  say(w, "    end initial;\n    agents\n      population(car); population(truck);\n");
  for (int k = 0; k < 3; k++) {
    static const char *const in[] = {"car", "truck", "car, truck"};
    say(w,
        "      pair(a, b) in %s\n        declarations flag(gap, unilateral); end declarations;\n"
        "        dynamics gap = b.x - a.x - (a.r + b.r); end dynamics;\n",
        in[k]);
    if (k == 2) {
      say(w, "        event(gap) negative-going\n          ");
      say_impulse(w, chance(w, 0.5) ? "2.0" : "1.7");
      say(w, " b.hits := b.hits + 1;\n        end negative-going; end event;\n");
    } else {
      say_collision(w, "negative-going");
    }
    say(w, "      end pair;\n");
  }
  say(w, "    end agents;\n  end body;\nend Road;\n");
}

/* Equal balls, whole numbers: three and more meet at one instant. */
static void at_once(writer *w) {
  int n = 3 + pick(w, 2), middle = n == 3 ? 0 : pick(w, 2);
  double speed = 1.0 + pick(w, 2), d = 2.0 + pick(w, 2);
  bool first = chance(w, 0.5); /* the one in the middle has two contacts that are its own */
  say_ball(w, "Ball", "", "0.0");
  w->until = 6.3;
  say(w,
      "system Line is\n  body\n    components ball[%d] : Ball(r : 0.5); end components;\n    "
      "initial\n",
      n);
  for (int k = 0; k < n; k++) {
    double v = k == 0 ? speed : k == n - 1 ? -speed : 0.0;
    double x = n == 3 ? k * (d + 1.0) : (k == 0 ? 0.0 : k == n - 1 ? 2 * d + 3.0 : d + k);
    if (n == 4 && middle == 1 && k == 2) v = 0.0;
    int number = n == 3 && first && k < 2 ? 2 - k : k + 1;
    say(w, "      ball[%d].x := %.1f; ball[%d].v := %.1f;\n", number, x, number, v);
  }
  say(w,
      "    end initial;\n    agents\n      population(ball);\n      pair(a, b) in ball\n"
      "        declarations flag(gap, unilateral); end declarations;\n"
      "        dynamics gap = (b.x - a.x)^2 - (a.r + b.r)^2; end dynamics;\n"
      "        event(gap) negative-going a.v := b.v; b.v := a.v; end negative-going; end event;\n"
      "      end pair;\n    end agents;\n  end body;\nend Line;\n");
}

const generate_kind generate_parts[] = {
    {"rules", rules, false, false, false},
    {"samples", samples, false, false, false},
    {"assembly", assembly, false, false, false},
    {"agents-line", line, true, false, false},
    {"agents-near-far", near_and_far, true, false, false},
    {"agents-two-sorts", two_sorts, true, false, false},
    {"agents-at-once", at_once, true, true, false},
};
const size_t generate_parts_count = sizeof generate_parts / sizeof *generate_parts;
