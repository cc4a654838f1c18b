/* sensitivity_cases.h: the models of oracle_sensitivity.c, each written twice: in HSML, for the library, and
 * with everything that happens spelled out, for exact_run.h. */
#ifndef BRINK_TESTS_SENSITIVITY_CASES_H
#define BRINK_TESTS_SENSITIVITY_CASES_H

#include "exact_run.h"

enum { CASE_ANSWERS = 4, START = -1 };

/* A published answer, with its digits: the time of an event, counted from 0, since the start or since another one. */
typedef struct known_answer {
  int event, since;
  const char *t; /* NULL: no more of them */
} known_answer;

typedef struct sensitivity_case {
  const char *name;
  const char *hsml;
  exact_model
      exact; /* events whose names begin with '-' are none to the library: it leaves a surface */
  known_answer answers[CASE_ANSWERS];
} sensitivity_case;

/* A component by itself. */
#define CTC(knobs, declarations, initial, dynamics, rest, assignments)                             \
  "ctc M is\n"                                                                                     \
  "interface knob(" knobs "); end interface;\n"                                                    \
  "body\n"                                                                                         \
  "declarations " declarations " end declarations;\n"                                              \
  "initial " initial " end initial;\n"                                                             \
  "dynamics " dynamics " end dynamics;\n" rest "\n"                                                \
  "assignments " assignments " end assignments;\n"                                                 \
  "end body;\n"                                                                                    \
  "end M;\n"

#define PARAMETER(name) "parameter(" name ", real);\n"
#define STATE(name) "state(" name ", real);\n"
#define FALLS(flag, actions)                                                                       \
  "event(" flag ") negative-going " actions " end negative-going; end event;\n"
#define RISES(flag, actions)                                                                       \
  "event(" flag ") positive-going " actions " end positive-going; end event;\n"

/* clang-format off */
static const sensitivity_case cases[] = {
    /* Resets; a knob that is an initial value. */
    {.name = "bouncing ball",
     .hsml = CTC("g, e, drop",
                 STATE("y") STATE("v") PARAMETER("g") PARAMETER("e") PARAMETER("drop") "flag(ground, unilateral);",
                 "y := drop; v := 0.0;",
                 "y' = v; v' = -g; ground = y;",
                 FALLS("ground", "v := -e*v;"),
                 "g : 9.81; e : 0.8; drop : 1.0;"),
     .exact = {.states = "y v", .knobs = "g=9.81 e=0.8 drop=1", .initial = "y = drop",
               .modes = {{"y' = v; v' = -g", {{"ground", "y", FALLING, "v = -e*v", 0}}}},
               .until = "3"},
     .answers = {{0, START, "0.451523640985730904450811124338"}, {5, START, "2.88007063544594371789376580526"}}},

    /* Not linear, with resets; a derived parameter. */
    {.name = "pendulum at a wall",
     .hsml = CTC("wall, e, length",
                 STATE("th") STATE("om") PARAMETER("wall") PARAMETER("e") PARAMETER("length") PARAMETER("k")
                 "flag(contact, unilateral);",
                 "th := 1.0; om := 0.0;",
                 "th' = om; om' = -k*sin(th); contact = th - wall;",
                 FALLS("contact", "om := -e*om;"),
                 "wall : -0.5; e : 0.9; length : 1.0; k : 1.0/length;"),
     .exact = {.states = "th om", .knobs = "wall=-0.5 e=0.9 length=1", .initial = "th = 1",
               .modes = {{"th' = om; om' = -sin(th)/length", {{"contact", "th - wall", FALLING, "om = -e*om", 0}}}},
               .until = "12"},
     .answers = {{0, START, "2.22314362247528276946967843932"}, {1, START, "6.7329555831031230899830050172"},
                 {2, START, "11.3175821536536723787078079193"}}},

    /* Not linear; events that change nothing. */
    {.name = "van der Pol",
     .hsml = CTC("mu, speed",
                 STATE("x") STATE("v") PARAMETER("mu") PARAMETER("speed") "flag(zero); flag(fast);",
                 "x := 2.0; v := 0.0;",
                 "x' = v; v' = mu*(1.0 - x^2)*v - x; zero = x; fast = v - speed;",
                 "",
                 "mu : 1.0; speed : 1.5;"),
     .exact = {.states = "x v", .knobs = "mu=1 speed=1.5", .initial = "x = 2",
               .modes = {{"x' = v; v' = mu*(1 - x*x)*v - x",
                          {{"zero", "x", FALLING, "", 0}, {"zero", "x", RISING, "", 0},
                           {"fast", "v - speed", FALLING, "", 0}, {"fast", "v - speed", RISING, "", 0}}}},
               .until = "10"},
     .answers = {{0, START, "2.1616949938686778112983973"}, {4, START, "8.8247939137408786958449766"}}},

    /* Modes; derived parameters, and an initial value of two knobs. */
    {.name = "thermostat",
     .hsml = CTC("R, C, power, outdoor, low, high",
                 STATE("T") PARAMETER("R") PARAMETER("C") PARAMETER("power") PARAMETER("outdoor") PARAMETER("low")
                 PARAMETER("high") PARAMETER("rate") PARAMETER("rise")
                 "mode(heater, {\"off\", \"on\"}); flag(warm); flag(cold);",
                 "T := 0.5*(low + high); heater := \"on\";",
                 "T' = -rate*(T - outdoor - (if heater = \"on\" then rise else 0.0)); warm = T - high; cold = T - low;",
                 RISES("warm", "heater := \"off\";") FALLS("cold", "heater := \"on\";"),
                 "R : 5.0; C : 2.0; power : 4.0; outdoor : 10.0; low : 18.0; high : 22.0;"
                 " rate : 1.0/(R*C); rise : power*R;"),
     .exact = {.states = "T", .knobs = "R=5 C=2 power=4 outdoor=10 low=18 high=22", .initial = "T = 0.5*(low + high)",
               .modes = {{"T' = -(T - outdoor - power*R)/(R*C)", {{"warm", "T - high", RISING, "", 1}}},
                         {"T' = -(T - outdoor)/(R*C)", {{"cold", "T - low", FALLING, "", 0}}}},
               .until = "20"},
     .answers = {{0, START, "2.2314355131420975576629509031"}, {4, START, "18.4500398374686728367834755217"}}},

    /* Unilateral, with a square root that ends just behind the surface. */
    {.name = "draining tank",
     .hsml = CTC("k, q, bottom, half",
                 STATE("h") PARAMETER("k") PARAMETER("q") PARAMETER("bottom") PARAMETER("half")
                 "mode(inlet, {\"shut\", \"open\"}); flag(empty, unilateral); flag(full);",
                 "h := 1.0; inlet := \"shut\";",
                 "h' = -k*sqrt(h) + (if inlet = \"open\" then q else 0.0); empty = h - bottom; full = h - half;",
                 FALLS("empty", "inlet := \"open\";") RISES("full", "inlet := \"shut\";"),
                 "k : 0.2; q : 0.15; bottom : 1e-4; half : 0.5;"),
     .exact = {.states = "h", .knobs = "k=0.2 q=0.15 bottom=1e-4 half=0.5", .initial = "h = 1",
               .modes = {{"h' = -k*sqrt(h)", {{"full", "h - half", FALLING, "", 0}, {"empty", "h - bottom", FALLING, "", 1}}},
                         {"h' = q - k*sqrt(h)", {{"full", "h - half", RISING, "", 0}}}},
               .until = "30"},
     .answers = {{1, START, "9.9"}}},

    /* Square roots of differences. */
    {.name = "two tanks and a pump",
     .hsml = CTC("q, k1, k2, low, high",
                 STATE("h1") STATE("h2") PARAMETER("q") PARAMETER("k1") PARAMETER("k2") PARAMETER("low")
                 PARAMETER("high") "mode(pump, {\"on\", \"off\"}); flag(enough); flag(little);",
                 "h1 := 0.5; h2 := 0.1; pump := \"on\";",
                 "h1' = (if pump = \"on\" then q else 0.0) - k1*sqrt(h1 - h2); h2' = k1*sqrt(h1 - h2) - k2*sqrt(h2);"
                 " enough = h2 - high; little = h2 - low;",
                 RISES("enough", "pump := \"off\";") FALLS("little", "pump := \"on\";"),
                 "q : 0.12; k1 : 0.2; k2 : 0.15; low : 0.25; high : 0.4;"),
     .exact = {.states = "h1 h2", .knobs = "q=0.12 k1=0.2 k2=0.15 low=0.25 high=0.4", .initial = "h1 = 0.5; h2 = 0.1",
               .modes = {{"f = k1*sqrt(h1 - h2); h1' = q - f; h2' = f - k2*sqrt(h2)",
                          {{"enough", "h2 - high", RISING, "", 1}, {"little", "h2 - low", RISING, "", 0}}},
                         {"f = k1*sqrt(h1 - h2); h1' = -f; h2' = f - k2*sqrt(h2)",
                          {{"little", "h2 - low", FALLING, "", 0}, {"enough", "h2 - high", FALLING, "", 1}}}},
               .until = "35"},
     .answers = {{1, START, "12.36571472234053795640825608"}}},

    /* Filippov: a field that depends on time, and leaves the surface on both sides. */
    {.name = "relay against a sine",
     .hsml = CTC("a, b, w",
                 STATE("y") PARAMETER("a") PARAMETER("b") PARAMETER("w") "flag(side);",
                 "y := 1.0;",
                 "y' = -a*sgn(side) + b*sin(w*time); side = y;",
                 "",
                 "a : 1.0; b : 1.5; w : 1.0;"),
     .exact = {.states = "y", .knobs = "a=1 b=1.5 w=1", .initial = "y = 1",
               .modes = {{"y' = -a + b*sin(w*time)", {{"side", "y", FALLING, "", 1}}},
                         {"", {{"-down", "a + b*sin(w*time)", FALLING, "", 2}, {"-up", "b*sin(w*time) - a", RISING, "", 0}}},
                         {"y' = a + b*sin(w*time)", {{"side", "y", RISING, "", 1}}}},
               .until = "8"},
     .answers = {{0, START, "3.73964807128089795288946586677"}, {1, START, "3.87132030981675960191744004309"},
                 {2, START, "6.46470895726759609746016060425"}, {3, START, "7.01291296340655284038008342637"}}},

    /* Filippov: on a curved surface, with a state (z) that follows the mean of the switching, and an event on the way. */
    {.name = "sliding mode on a curve",
     .hsml = CTC("u, c, d, mark",
                 STATE("x") STATE("v") STATE("z") PARAMETER("u") PARAMETER("c") PARAMETER("d") PARAMETER("mark")
                 "flag(s); flag(passed);",
                 "x := 0.5; v := 0.0; z := 0.0;",
                 "x' = v; v' = -u*sgn(s) - sin(x); z' = sgn(s) - z; s = v + c*x + d*x^3; passed = x - mark;",
                 "",
                 "u : 2.0; c : 1.0; d : 0.5; mark : 0.1;"),
     .exact = {.states = "x v z", .knobs = "u=2 c=1 d=0.5 mark=0.1", .initial = "x = 0.5",
               .modes = {{"x' = v; v' = -u - sin(x); z' = 1 - z", {{"s", "v + c*x + d*x*x*x", FALLING, "", 1}}},
                         {"x' = v; v' = -(c + 3*d*x*x)*v; z' = ((c + 3*d*x*x)*v - sin(x))/u - z",
                          {{"passed", "x - mark", FALLING, "", 1}}}},
               .until = "3"}},

    /* The model's own law on a surface, and its own condition for letting go, at which the field jumps. */
    {.name = "stick-slip",
     .hsml = CTC("belt, rest, drag",
                 STATE("x") STATE("v") PARAMETER("belt") PARAMETER("rest") PARAMETER("drag") "flag(slip);",
                 "x := 1.1; v := 0.0;",
                 "x' = v; v' = -x - drag*sgn(slip); slip = v - belt;",
                 "event(slip) on-event v' = 0.0; leave negative-going when x > rest;"
                 " leave positive-going when x < -rest; end on-event; end event;",
                 "belt : 0.5; rest : 1.0; drag : 0.5;"),
     .exact = {.states = "x v", .knobs = "belt=0.5 rest=1 drag=0.5", .initial = "x = 1.1",
               .modes = {{"x' = v; v' = drag - x", {{"slip", "v - belt", RISING, "", 1}}},
                         {"x' = v", {{"-leave", "x - rest", RISING, "", 0}}}},
               .until = "12"},
     .answers = {{2, 1, "4.71238898038468985769396507492"}}},

    /* A surface that moves, and a reset that depends on time. */
    {.name = "shaken ball",
     .hsml = CTC("A, w, e",
                 STATE("y") STATE("v") PARAMETER("A") PARAMETER("w") PARAMETER("e") "flag(top, unilateral);",
                 "y := 1.0; v := 0.0;",
                 "y' = v; v' = -9.81; top = y - A*sin(w*time);",
                 FALLS("top", "let u = A*w*cos(w*time); v := u - e*(v - u);"),
                 "A : 0.02; w : 30.0; e : 0.9;"),
     .exact = {.states = "y v", .knobs = "A=0.02 w=30 e=0.9", .initial = "y = 1",
               .modes = {{"y' = v; v' = -9.81",
                          {{"top", "y - A*sin(w*time)", FALLING, "u = A*w*cos(w*time); v = u - e*(v - u)", 0}}}},
               .until = "3"}},

    /* Four states in two vectors, a round surface, a reset of states by states. */
    {.name = "billiard",
     .hsml = CTC("r",
                 "state(p[2], real); state(v[2], real);" PARAMETER("r") "flag(rim, unilateral);",
                 "p := [-0.5, 0.0]; v := [0.6, 0.8];",
                 "p' = v; v' = 0.0; rim = r^2 - dot(p, p);",
                 FALLS("rim", "v := v - 2.0*dot(v, p)/dot(p, p)*p;"),
                 "r : 1.0;"),
     .exact = {.states = "p[1] p[2] v[1] v[2]", .knobs = "r=1", .initial = "p[1] = -0.5; v[1] = 0.6; v[2] = 0.8",
               .modes = {{"p[1]' = v[1]; p[2]' = v[2]",
                          {{"rim", "r*r - p[1]*p[1] - p[2]*p[2]", FALLING,
                            "m = 2*(v[1]*p[1] + v[2]*p[2])/(p[1]*p[1] + p[2]*p[2]);"
                            "v[1] = v[1] - m*p[1]; v[2] = v[2] - m*p[2]", 0}}}},
               .until = "10"},
     .answers = {{0, START, "1.21651513899116800131760943875"}, {2, START, "4.88257569495584000658804719373"}}},

    /* Sampled control, and an event between two samples. */
    {.name = "sampled level control",
     .hsml = "ctc Tank is\n"
             "interface input(inflow, real); output(level, signal); knob(k, leak, mark); end interface;\n"
             "body declarations " STATE("h") PARAMETER("k") PARAMETER("leak") PARAMETER("mark")
             "mode(crack, {\"no\", \"yes\"}); flag(high); end declarations;\n"
             "initial h := 1.0; crack := \"no\"; end initial;\n"
             "dynamics h' = (inflow - k*sqrt(h) - (if crack = \"yes\" then leak*h else 0.0))/2.0; high = h - mark;"
             " end dynamics;\n"
             "output level = h; end output;\n"
             RISES("high", "crack := \"yes\";")
             "assignments k : 1.0; leak : 0.3; mark : 2.0; end assignments; end body; end Tank;\n"
             "dtc PI is\n"
             "interface input(measured, real); output(u, real); knob(goal, kp, ki); end interface;\n"
             "body declarations sample(0.1, 0.0);" STATE("i") PARAMETER("goal") PARAMETER("kp") PARAMETER("ki")
             "end declarations;\n"
             "initial i := 0.0; end initial;\n"
             "update i := i + ki*0.1*(goal - measured); end update;\n"
             "output u = kp*(goal - measured) + i; end output;\n"
             "assignments goal : 3.0; kp : 2.0; ki : 0.5; end assignments; end body; end PI;\n"
             "composite Loop is\n"
             "interface knob(k, leak, mark, goal, kp, ki); end interface;\n"
             "body declarations " PARAMETER("k") PARAMETER("leak") PARAMETER("mark") PARAMETER("goal") PARAMETER("kp")
             PARAMETER("ki") "end declarations;\n"
             "components plant : Tank(k : k, leak : leak, mark : mark); ctl : PI(goal : goal, kp : kp, ki : ki);"
             " end components;\n"
             "connections connect(plant.level, ctl.measured); connect(ctl.u, plant.inflow); end connections;\n"
             "assignments k : 1.0; leak : 0.3; mark : 2.0; goal : 3.0; kp : 2.0; ki : 0.5; end assignments;\n"
             "end body; end Loop;\n",
     .exact = {.states = "plant.h ctl.u ctl.i", .knobs = "k=1 leak=0.3 mark=2 goal=3 kp=2 ki=0.5",
               .initial = "plant.h = 1",
               .modes = {{"plant.h' = (ctl.u - k*sqrt(plant.h))/2", {{"plant.high", "plant.h - mark", RISING, "", 1}}},
                         {"plant.h' = (ctl.u - k*sqrt(plant.h) - leak*plant.h)/2", {{0}}}},
               .period = "0.1",
               .tick = "ctl.u = kp*(goal - plant.h) + ctl.i; ctl.i = ctl.i + ki*0.1*(goal - plant.h)",
               .until = "2.05"}},

    /* Times of events that are states. */
    {.name = "timer",
     .hsml = CTC("gain, jump",
                 STATE("x") STATE("next") PARAMETER("gain") PARAMETER("jump") "flag(ring);",
                 "x := 1.0; next := gain;",
                 "x' = -x; next' = 0.0; ring = time - next;",
                 RISES("ring", "x := x + jump; next := time + gain*(x + jump);"),
                 "gain : 0.5; jump : 1.0;"),
     .exact = {.states = "x next", .knobs = "gain=0.5 jump=1", .initial = "x = 1; next = gain",
               .modes = {{"x' = -x", {{"ring", "time - next", RISING, "x = x + jump; next = time + gain*(x + jump)", 0}}}},
               .until = "4.5"},
     .answers = {{1, START, "1.3032653298563167118018997675"}, {4, START, "3.89107091325267349166469291442"}}},

    /* A flag made of inequalities; a crossing flag. */
    {.name = "corridor",
     .hsml = CTC("turn, bend, wall",
                 STATE("x") STATE("y") STATE("theta") PARAMETER("turn") PARAMETER("bend") PARAMETER("wall")
                 "mode(steering, {\"straight\", \"left\"}); flag(corner, crossing); flag(hit, unilateral);",
                 "x := 0.0; y := 0.054; theta := -0.2; steering := \"straight\";",
                 "x' = cos(theta); y' = sin(theta); theta' = if steering = \"left\" then turn else 0.0;"
                 " corner = x - bend; hit = (y >= 0.5) or (x >= 3.5) or ((y <= -wall) and (x <= 2.8));",
                 RISES("corner", "steering := \"left\";") RISES("hit", "theta := -2.0*theta;"),
                 "turn : 0.2; bend : 1.75; wall : 0.4;"),
     .exact = {.states = "x y theta", .knobs = "turn=0.2 bend=1.75 wall=0.4", .initial = "y = 0.054; theta = -0.2",
               .modes = {{"x' = cos(theta); y' = sin(theta)", {{"corner", "x - bend", RISING, "", 1}}},
                         {"x' = cos(theta); y' = sin(theta); theta' = turn",
                          {{"hit", "y + wall", FALLING, "theta = -2*theta", 2}}},
                         {"x' = cos(theta); y' = sin(theta); theta' = turn", {{0}}}},
               .until = "3.4"},
     .answers = {{0, START, "1.78559297864708720713675735949"}, {1, START, "2.72158684390298468073662651716"}}},
};
/* clang-format on */
enum { CASES = sizeof cases / sizeof cases[0] };

#endif
