/* test_foreign.c: words and signs of Modelica, Simulink, MATLAB, Python and C, one a line: each gives one error, at its
 * place, and a hint that says how HSML writes it. */
#include "check.h"
#include "lang/ast.h"
#include "lang/flatten.h"
#include "support/tree.h"

/* Where the line stands: in a model that is right without it, or with the line that it replaces. */
typedef enum stand {
  DYNAMICS,
  DECLARATION,
  INITIAL,
  SECTION,
  HEAD,
  TOP,
  RULES,
  COMPONENTS,
  CONNECTIONS,
} stand;

typedef struct phrase {
  stand stand;
  const char *text;
  uint32_t column;
  const char *hint;
} phrase;

static const phrase phrases[] = {
    /* clang-format off */
    {DYNAMICS, "x' = ln(x);", 6, "the natural logarithm is written log(x)"},
    {DYNAMICS, "x' = log2(x);", 6, "write log(x)/log(2)"},
    {DYNAMICS, "x' = power(x, 2);", 6, "powers are written x^2"},
    {DYNAMICS, "x' = pow(x, 2);", 6, "powers are written x^2"},
    {DYNAMICS, "x' = round(x);", 6, "write floor(x + 0.5)"},
    {DYNAMICS, "x' = saturate(x, 0, 1);", 6, "a saturation is written min(max(x, lo), hi)"},
    {DYNAMICS, "x' = sat(x);", 6, "a saturation is written min(max(x, lo), hi)"},
    {DYNAMICS, "x' = clip(x, 0, 1);", 6, "a saturation is written min(max(x, lo), hi)"},
    {DYNAMICS, "x' = limit(x, 0, 1);", 6, "a saturation is written min(max(x, lo), hi)"},
    {DYNAMICS, "x' = der(x);", 6, "the derivative of a state is written x'"},
    {DYNAMICS, "x' = ddt(x);", 6, "the derivative of a state is written x'"},
    {DYNAMICS, "x' = x_dot;", 6, "the derivative of 'x' is written x'"},
    {DYNAMICS, "x' = xdot;", 6, "the derivative of 'x' is written x'"},
    {DYNAMICS, "x' = dx/dt;", 6, "the derivative of 'x' is written x'"},
    {DYNAMICS, "x' = x**2;", 7, "powers are written '^'"},
    {DYNAMICS, "x' = if x != 1.0 then 1 else 2;", 11, "inequality is written '/='"},
    {DYNAMICS, "x' = if x <> 1.0 then 1 else 2;", 11, "inequality is written '/='"},
    {DYNAMICS, "x' = if n == 1 then 1 else 2;", 11, "equality is written '='"},
    {DYNAMICS, "x' = if x < 1 && v > 0 then 1 else 2;", 15, "write 'and'"},
    {DYNAMICS, "x' = if x < 1 || v > 0 then 1 else 2;", 15, "write 'or'"},
    {DYNAMICS, "x' = if !on then 1 else 2;", 9, "write 'not'"},
    {DYNAMICS, "x' = x % 3;", 7, "'%' begins a comment; a remainder is written mod(a, b)"},
    {DYNAMICS, "x' = x mod 2;", 8, "write mod(a, b)"},
    {DYNAMICS, "x' = x div 2;", 8, "write floor(a/b)"},
    {DYNAMICS, "x' = x // c;", 8, "a comment starts with % and ends with the line"},
    {DYNAMICS, "x' = x /* c */;", 8, "a comment starts with % and ends with the line"},
    {DYNAMICS, "x' = x # c;", 8, "a comment starts with % and ends with the line"},
    {DYNAMICS, "x' = pi();", 6, "write pi, without parentheses"},
    {DYNAMICS, "x' = time();", 6, "write time, without parentheses"},
    {DYNAMICS, "x' = e^x;", 6, "Euler's number is written exp(1)"},
    {DYNAMICS, "x' = True;", 6, "did you mean 'true'?"},
    {DYNAMICS, "x' = None;", 6, "every quantity has a value: there is none for 'nothing'"},
    {DYNAMICS, "x' = null;", 6, "every quantity has a value: there is none for 'nothing'"},
    {DYNAMICS, "x' = NaN;", 6, "every quantity has a value: there is none for 'nothing'"},
    {DYNAMICS, "x' = infinity;", 6, "write inf"},
    {DYNAMICS, "x' = M_PI;", 6, "write pi"},
    {DYNAMICS, "x' = (x + v)';", 13, "write it with the derivatives of its states: x' + y'"},
    {DYNAMICS, "x' = x'';", 8, "declare the first derivative as a state of its own: x' = v; v' = ...;"},
    {DYNAMICS, "x' = if x < 1 { 1 } else { 2 };", 15, "a choice is written 'if c then a else b'"},
    {DYNAMICS, "x' = x < 1 ? 1 : 2;", 12, "a choice is written 'if c then a else b'"},
    {DYNAMICS, "x' = w(1);", 6, "elements are w[1]"},
    {DYNAMICS, "x' = w[0];", 8, "from 1 to 3"},
    {DYNAMICS, "x' = .5*x;", 6, "write 0.5"},
    {DYNAMICS, "x' = 5.;", 6, "write 5.0"},
    {DYNAMICS, "x' = 1_000;", 6, "digits are written without a '_' between them"},
    {DYNAMICS, "x' = integrator(x);", 6, "an integral is a state: declare state(z, real); and write z' = ...;"},
    {DYNAMICS, "x' = 1/s;", 8, "the integrator 1/s is a state: y' = u;"},
    {DYNAMICS, "x' = sqr(x);", 6, "write x^2"},
    {DYNAMICS, "x' = cbrt(x);", 6, "write x^(1/3)"},
    {DYNAMICS, "x' = fabs(x);", 6, "write abs(x)"},
    {DYNAMICS, "x' = arcsin(x);", 6, "write asin(x)"},
    {DYNAMICS, "x' = arctan2(x, v);", 6, "write atan2(y, x)"},
    {DYNAMICS, "x' = atan(x, v);", 6, "write atan2(y, x)"},
    {DYNAMICS, "x' = mean(w);", 6, "write sum(x)/n"},
    {DYNAMICS, "x' = len(w);", 6, "the number of elements is written size(x)"},
    {DYNAMICS, "x' = int(x);", 6, "write floor(x)"},
    {DYNAMICS, "x' = trunc(x);", 6, "write if x < 0 then ceil(x) else floor(x)"},
    {DYNAMICS, "x' = float(n);", 6, "an integer becomes a real by itself: leave it out"},
    {DYNAMICS, "x' = rem(x, 2);", 6, "write mod(a, b): it has the sign of b"},
    {DYNAMICS, "x' = fmod(x, 2);", 6, "write mod(a, b): it has the sign of b"},
    {DYNAMICS, "x' = signum(x);", 6, "write sign(x)"},
    {DYNAMICS, "x' = step(t - 1);", 6, "a step is written if t >= 1.0 then 1.0 else 0.0"},
    {DYNAMICS, "x' = edge(on);", 6, "a flag has events, a rule fires when its condition becomes true: 'when c do'"},
    {DYNAMICS, "x' = sample(0, 0.1);", 6, "a dtc or an lbc runs at samples: declare sample(period, offset); in it"},
    {DYNAMICS, "x' = initial();", 6, "what happens at the start stands in the section 'initial'"},
    {DYNAMICS, "x' = rand();", 6, "write uniform(lo, hi)"},
    {DYNAMICS, "x' = randn();", 6, "write normal(mean, sd)"},
    {DYNAMICS, "x' = interp1([1, 2], [3, 4], x);", 6, "a table is written table(u, [x1, x2], [y1, y2])"},
    {DYNAMICS, "x' = semiLinear(x, 1, 2);", 6, "write if x >= 0 then a*x else b*x"},
    {DYNAMICS, "x' = asinh(x);", 6, "write log(x + sqrt(x^2 + 1))"},
    {DYNAMICS, "x' = deg2rad(x);", 6, "write x*pi/180"},
    {DYNAMICS, "x' = xor(on, on);", 6, "write a /= b"},
    {DYNAMICS, "x' = x.^2;", 7, "vectors are taken element by element: write '^'"},
    {DYNAMICS, "x' = w.*w;", 7, "vectors are multiplied element by element: write '*'"},
    {DYNAMICS, "x' = sin x;", 10, "arguments stand in parentheses: sin(x)"},
    {DYNAMICS, "x' = 2x;", 6, "a product is written 2*x"},
    {DYNAMICS, "x' = |x|;", 6, "write 'or'; an absolute value is abs(x)"},
    {DYNAMICS, "x' = math.sin(x);", 6, "write sin(...)"},
    {DYNAMICS, "x' = np.sin(x);", 6, "write sin(...)"},
    {DYNAMICS, "x' = Modelica.Math.sin(x);", 6, "write sin(...)"},
    {DYNAMICS, "x' = Math.PI;", 6, "functions have no prefix: write sin(x), pi"},
    {DYNAMICS, "x' = sum(w,);", 11, "leave out the ','"},
    {DYNAMICS, "x' = sum([x, v,]);", 15, "leave out the ','"},
    {DYNAMICS, "x' = if on then 1 end;", 18, "every case must have a value: add 'else ...'"},
    {DYNAMICS, "x' = on;", 6, "a number from a boolean is written if ... then 1 else 0"},
    {DYNAMICS, "x' = x,;", 7, "statements end with ';'"},
    {DYNAMICS, "x' = n := 2;", 8, "a comparison is written '='"},
    {DYNAMICS, "der(x) = -x;", 1, "write x' = ..."},
    {DYNAMICS, "dx/dt = -x;", 3, "write x' = ..."},
    {DYNAMICS, "ddt(x) = -x;", 1, "write x' = ..."},
    {DYNAMICS, "d(x)/dt = -x;", 5, "write x' = ..."},
    {DYNAMICS, "diff(x, t) = -x;", 1, "write x' = ..."},
    {DYNAMICS, "x_dot = -x;", 1, "the derivative of 'x' is written x'"},
    {DYNAMICS, "x' := -x;", 4, "write '='"},
    {DYNAMICS, "x'' = -x;", 3, "declare the first derivative as a state of its own: x' = v; v' = ...;"},
    {DYNAMICS, "x' = -x; -- c", 10, "a comment starts with % and ends with the line"},
    {DYNAMICS, "x++;", 2, "write 'x := x + 1'"},
    {DYNAMICS, "x += 1;", 3, "write 'x := x + ...'"},
    {DYNAMICS, "x(t)' = 1;", 1, "write x' = ..."},
    {DYNAMICS, "when x < 0.5 then v := 1; end when; x' = 1;", 1, "in a ctc, declare a flag, and write event(flag) ... end event;"},
    {DYNAMICS, "when x < 0.5 then reinit(v, 1); end when; x' = 1;", 1, "in a ctc, declare a flag, and write event(flag) ... end event;"},
    {DYNAMICS, "if x < 1 { x' = 1; } else { x' = 2; }", 10, "a block is written 'if c then ... end if;'"},
    {DYNAMICS, "if x < 1 then x' = 1; else x' = 2; endif;", 36, "write 'end if;'"},
    {DYNAMICS, "if x < 1 then x' = 1; else x' = 2; end;", 36, "write 'end if;'"},
    {DYNAMICS, "if x < 1 then x' = 1; elseif x < 2 then x' = 2; else x' = 3; end if;", 23, "write 'elsif'"},
    {DYNAMICS, "for i = 1:3 loop w[i]' = 1; end loop; x' = 1;", 7, "a loop is written 'for i in 1..3 loop'"},
    {DYNAMICS, "for i in 1:3 loop w[i]' = 1; end loop; x' = 1;", 11, "a range is written 1..3"},
    {DYNAMICS, "for i in 1..3 do w[i]' = 1; end for; x' = 1;", 15, "a loop is written 'for i in 1..n loop ... end loop;'"},
    {DYNAMICS, "for i in range(3): w[i]' = 1; x' = 1;", 10, "a loop is written 'for i in 1..n loop ... end loop;'"},
    {DYNAMICS, "while x < 1 loop x' = 1; end loop;", 1, "a loop is written 'for i in 1..n loop ... end loop;'"},
    {DYNAMICS, "x' = 1; var z = 3;", 9, "names are declared in 'declarations': variable(z, real);"},
    {DYNAMICS, "x' = 1; const z = 3;", 9, "a constant is a parameter: parameter(g, real); and in assignments g : 9.81;"},
    {DYNAMICS, "x' = 1; Real z = 3;", 9, "names are declared in 'declarations': variable(z, real);"},
    {DYNAMICS, "x' = 1; reinit(v, 1.0);", 9, "a new value is assigned: v := ...;"},
    {DYNAMICS, "x' = 1; assert(x > 0, \"bad\");", 9, "in an action, write if not (...) then fail(\"...\"); end if; or declare a range"},
    {DYNAMICS, "x' = 1; print(x);", 9, "write note(\"label\", x)"},
    {DYNAMICS, "x' = 1; set x := 2;", 9, "an assignment is written x := ...;"},
    {DECLARATION, "Real z;", 1, "write state(z, real); variable(z, real); or parameter(z, real);"},
    {DECLARATION, "Real z(start = 1);", 1, "write state(z, real); variable(z, real); or parameter(z, real);"},
    {DECLARATION, "float z;", 1, "write state(z, real); variable(z, real); or parameter(z, real);"},
    {DECLARATION, "parameter Real z = 1;", 11, "write parameter(z, real);"},
    {DECLARATION, "var z;", 1, "write state(z, real); or variable(z, real);"},
    {DECLARATION, "const g = 9.81;", 1, "a constant is a parameter: parameter(g, real); and in assignments g : 9.81;"},
    {DECLARATION, "param(g, real);", 1, "did you mean 'parameter'?"},
    {DECLARATION, "state(z, int);", 10, "did you mean 'integer'?"},
    {DECLARATION, "state(z, float);", 10, "did you mean 'real'?"},
    {DECLARATION, "state(z, double);", 10, "did you mean 'real'?"},
    {DECLARATION, "state(z, bool);", 10, "did you mean 'boolean'?"},
    {DECLARATION, "state z;", 7, "write state(z, real);"},
    {DECLARATION, "state(z);", 8, "write state(z, real);"},
    {DECLARATION, "state(z, real) = 3;", 16, "where it starts stands in 'initial': z := ...;"},
    {DECLARATION, "parameter(z, real) = 3;", 20, "its value stands in 'assignments': z : ...;"},
    {DECLARATION, "state(z : real);", 9, "write state(z, real);"},
    {DECLARATION, "state(z, real, [0, 1]);", 16, "ranges are written (0.0, 1.0), units in quotes: \"m\""},
    {DECLARATION, "state(z, real, [m]);", 16, "ranges are written (0.0, 1.0), units in quotes: \"m\""},
    {DECLARATION, "state(z, real, (0, 1), m);", 24, "a unit is written \"m/s\""},
    {DECLARATION, "state(z, real, start = 1);", 16, "where it starts stands in 'initial': z := ...;"},
    {DECLARATION, "state(z, real[3]);", 14, "the size stands behind the name: z[...]"},
    {DECLARATION, "state(z(3), real);", 8, "write state(z[...], real);"},
    {DECLARATION, "state(z, vector);", 10, "a vector is declared with its size: state(x[3], real)"},
    {DECLARATION, "enum(z, {\"a\"});", 1, "write mode(m, {\"a\", \"b\"});"},
    {DECLARATION, "discrete(z, real);", 1, "in a ctc, a state of type integer, boolean or string changes at events only"},
    {DECLARATION, "state(a, b, real);", 10, "one name each: state(a, real); state(b, real);"},
    {DECLARATION, "protected", 1, "what is declared in 'body' is not visible from outside"},
    {INITIAL, "x = 2;", 3, "write ':='"},
    {INITIAL, "x(0) := 1;", 1, "write x := ...; an element is x[1]"},
    {INITIAL, "x : 1;", 3, "write ':='"},
    {INITIAL, "x.start := 1;", 3, "where it starts stands in 'initial': x := ...;"},
    {INITIAL, "m := a;", 6, "did you mean \"a\"?"},
    {INITIAL, "m := 'a';", 6, "write \"...\" instead of '...'"},
    {INITIAL, "n := 1.0;", 6, "write 1"},
    {INITIAL, "n := 3/2;", 7, "floor(...) and ceil(...) give integers"},
    {INITIAL, "n := on;", 6, "a number from a boolean is written if ... then 1 else 0"},
    {INITIAL, "on := n;", 7, "a boolean from a number is written n /= 0"},
    {INITIAL, "on := True;", 7, "did you mean 'true'?"},
    {INITIAL, "int q := 3;", 1, "names are declared in 'declarations': variable(z, real);"},
    {INITIAL, "n++;", 2, "write 'x := x + 1'"},
    {SECTION, "equation x' = 1; end equation;", 1, "differential equations stand in 'dynamics', equations between formulas in 'constraints'"},
    {SECTION, "algorithm x := 1; end algorithm;", 1, "assignments stand in 'update' of a dtc, in rules of an lbc, in events of a ctc"},
    {SECTION, "parameters k : 1; end parameters;", 1, "declare it in 'declarations', and give it a value in 'assignments'"},
    {SECTION, "constants g : 1; end constants;", 1, "a constant is a parameter: parameter(g, real); and in assignments g : 9.81;"},
    {SECTION, "states x; end states;", 1, "declare it in 'declarations': state(x, real); variable(v, real);"},
    {SECTION, "inputs u; end inputs;", 1, "inputs, outputs, knobs and views are declared in 'interface'"},
    {SECTION, "when x > 1 then v := 1; end when;", 1, "in a ctc, declare a flag, and write event(flag) ... end event;"},
    {SECTION, "event(x > 1) negative-going v := 1; end negative-going; end event;", 9, "declare a flag, define it in dynamics, and name it here"},
    {SECTION, "protected", 1, "what is declared in 'body' is not visible from outside"},
    {SECTION, "annotation(experiment(StopTime = 1));", 1, "leave it out; how to run stands in 'simulation' of a system"},
    {HEAD, "model A is", 1, "with differential equations it is a 'ctc', sampled a 'dtc', with rules an 'lbc', with parts a 'composite' or 'system'"},
    {HEAD, "block A is", 1, "with differential equations it is a 'ctc', sampled a 'dtc', with rules an 'lbc', with parts a 'composite' or 'system'"},
    {HEAD, "class A is", 1, "with differential equations it is a 'ctc', sampled a 'dtc', with rules an 'lbc', with parts a 'composite' or 'system'"},
    {HEAD, "subsystem A is", 1, "with differential equations it is a 'ctc', sampled a 'dtc', with rules an 'lbc', with parts a 'composite' or 'system'"},
    {DYNAMICS, "x' = if (x < 1) 1 else 2;", 17, "a choice is written 'if c then a else b'"},
    {DYNAMICS, "x' = 1; z <- 3;", 11, "an assignment is written x := ...;"},
    {DYNAMICS, "x' = if all(on) then 1 else 2;", 9, "combine them with 'and'"},
    {SECTION, "event f is v := 1; end event;", 7, "write event(f)"},
    {CONNECTIONS, "connect(p, q);", 9, "name what is connected: connect(a.y, b.u)"},
    {COMPONENTS, "T : p;", 5, "write p : T;"},
    {HEAD, "connector A is", 1, "named signals that connect as one are a bundle: bundle Pin is ... end Pin;"},
    {HEAD, "model A", 1, "with differential equations it is a 'ctc', sampled a 'dtc', with rules an 'lbc', with parts a 'composite' or 'system'"},
    {HEAD, "ctc A {", 6, "a component is written 'ctc Tank is ... end Tank;'"},
    {TOP, "import lib;", 8, "write import \"lib.hsml\";"},
    {TOP, "include \"a.hsml\";", 1, "write import \"file.hsml\";"},
    {TOP, "from a import b;", 1, "write import \"file.hsml\";"},
    {TOP, "const g = 9.81;", 1, "a constant is a parameter: parameter(g, real); and in assignments g : 9.81;"},
    {TOP, "def f(x): return x", 1, "write function f(x) = ...;"},
    {TOP, "#include \"a.hsml\"", 1, "a comment starts with % and ends with the line"},
    {TOP, "type T = Real;", 1, "there are no types of one's own: ranges and units stand in declarations"},
    {TOP, "parameter g : 9.81;", 1, "parameters are declared inside components"},
    {RULES, "when u > 1 then n := 1; end when;", 12, "a rule is written 'when c do ... end when;'"},
    {RULES, "if u > 1 then n := 1; end if;", 1, "a rule is written 'when c do ... end when;'"},
    {RULES, "when u > 1: n := 1; end when;", 11, "a rule is written 'when c do ... end when;'"},
    {RULES, "when u > 1 { n := 1; }", 12, "a rule is written 'when c do ... end when;'"},
    {RULES, "when u > 1 do n = 1; end when;", 17, "write ':='"},
    {RULES, "when u > 1 do n := 1; end;", 23, "write 'end when;'"},
    {RULES, "when u > 1 do n := 1; elsewhen u > 2 do n := 2; end when;", 23, "write a rule of its own: end when; when ... do"},
    {RULES, "when u > 1 do n += 1; end when;", 17, "write 'x := x + ...'"},
    {RULES, "when edge(u > 1) do n := 1; end when;", 6, "a flag has events, a rule fires when its condition becomes true: 'when c do'"},
    {RULES, "when sample(0, 0.1) do n := 1; end when;", 6, "a dtc or an lbc runs at samples: declare sample(period, offset); in it"},
    {RULES, "when u > 1 do terminate(\"x\"); end when;", 15, "write stop(\"...\"), or fail(\"...\") if it is an error"},
    {RULES, "when u > 1 do exit(); end when;", 15, "write stop(\"...\"), or fail(\"...\") if it is an error"},
    {RULES, "when u > 1 do error(\"x\"); end when;", 15, "write fail(\"...\")"},
    {RULES, "when u > 1 do printf(\"x\", u); end when;", 15, "write note(\"label\", x)"},
    {RULES, "when u > 1 do disp(u); end when;", 15, "write note(\"label\", x)"},
    {COMPONENTS, "T p;", 3, "write p : T;"},
    {COMPONENTS, "T p(a = 2);", 3, "write p : T;"},
    {COMPONENTS, "p : T(a = 2);", 9, "write 'name : value'"},
    {COMPONENTS, "p : T(2);", 7, "write 'name : value'"},
    {COMPONENTS, "p = T(a : 2);", 3, "write 'name : Component;'"},
    {COMPONENTS, "p : T{a : 2};", 6, "arguments stand in parentheses: (name : value)"},
    {COMPONENTS, "p : T[3];", 6, "an array is written p[...] : T;"},
    {COMPONENTS, "p : t;", 5, "did you mean 'T'?"},
    {CONNECTIONS, "connect(p.y -> q.u);", 13, "a connection is written connect(from, to)"},
    {CONNECTIONS, "p.y -> q.u;", 5, "a connection is written connect(from, to)"},
    {CONNECTIONS, "connect p.y to q.u;", 1, "write connect(from, to);"},
    {CONNECTIONS, "connect(q.u, p.y);", 9, "connect(from, to): is it the target?"},
    {CONNECTIONS, "q.u = p.y;", 5, "a connection is written connect(from, to)"},
    {CONNECTIONS, "q.u := p.y;", 5, "a connection is written connect(from, to)"},
    /* clang-format on */
};

static const char ctc[] =
    "%s"
    "%s\n"
    "interface input(u, signal); output(y, signal); end interface;\n"
    "body declarations state(x, real); state(v, real); state(w[3], real); state(n, integer);\n"
    "state(on, boolean); parameter(k, real); flag(f); mode(m, {\"a\", \"b\"});\n"
    "%s\n"
    "end declarations; initial x := 1.0; v := 0.0; w := 0.0;\n"
    "%s\n"
    "end initial; dynamics v' = 0.0; f = x - 0.5;%s\n"
    "%s\n"
    "end dynamics; output y = x; end output;\n"
    "event(f) negative-going v := 0.0; end negative-going; end event;\n"
    "%s\n"
    "assignments k : 1.0; u : 0.0; end assignments; end body;\n"
    "end A;\n";

static const char lbc[] =
    "lbc L is interface input(u, signal); output(y, integer); end interface;\n"
    "body declarations state(n, integer); end declarations; initial n := 0; end initial; rules\n"
    "%s\n"
    "end rules; output y = n; end output; assignments u : 0.0; end assignments; end body; end L;\n";

static const char assembly[] =
    "ctc T is interface input(u, signal); output(y, signal); knob(a); end interface;\n"
    "body declarations parameter(a, real); end declarations; output y = a*u; end output;\n"
    "assignments a : 1.0; u : 0.0; end assignments; end body; end T;\n"
    "system S is body components\n"
    "%s\n"
    "end components; connections\n"
    "%s\n"
    "end connections; end body; end S;\n";

/* The model with a line in it. Lines that define the elements of w stand in for w' = 0. */
static void write_model(char *model, size_t size, stand where, const char *line) {
  const char *at = line;
  bool elements = where == DYNAMICS && strstr(line, "w[i]'") != NULL;
  if (where == RULES) {
    snprintf(model, size, lbc, line);
  } else if (where == COMPONENTS || where == CONNECTIONS) {
    snprintf(model, size, assembly, where == COMPONENTS ? line : "p : T; q : T;",
             where == CONNECTIONS ? line : "");
  } else {
    char top[128];
    snprintf(top, sizeof top, "%s%s", where == TOP ? at : "", where == TOP ? "\n" : "");
    snprintf(model, size, ctc, top, where == HEAD ? at : "ctc A is", where == DECLARATION ? at : "",
             where == INITIAL ? at : "m := \"a\"; n := 0; on := false;",
             elements ? "" : " w' = 0.0;", where == DYNAMICS ? at : "x' = -x;",
             where == SECTION ? at : "");
  }
}

static uint32_t line_of(const char *model, const char *line) {
  char whole[256];
  snprintf(whole, sizeof whole, "%s\n", line);
  const char *found = strstr(model, whole);
  uint32_t number = 1;
  for (const char *at = model; at < found; at++) number += *at == '\n';
  return found != NULL ? number : 0;
}

static brink_unit *look_at(const char *model) {
  tree_file file = {.path = "m.hsml", .text = model};
  tree_files files = {.file = &file, .count = 1};
  brink_unit *unit = tree_parse_files(&files, NULL);
  brink_unit_check(unit);
  brink_system_destroy(brink_flatten(unit, &(brink_flatten_options){.seed = 1}, NULL));
  return unit;
}

TEST(every_foreign_phrase_gives_one_error_and_the_way_to_say_it) {
  char model[4096];
  for (size_t k = 0; k < sizeof phrases / sizeof phrases[0]; k++) {
    const phrase *p = &phrases[k];
    write_model(model, sizeof model, p->stand, p->text);
    brink_unit *unit = look_at(model);
    CHECK_MSG(unit->nerrors == 1, "%s: %zu errors", p->text, unit->nerrors);
    if (unit->nerrors >= 1) {
      const brink_report_item *item = &unit->items[0];
      for (size_t i = 0; item->severity != BRINK_ERROR && i < unit->nitems; i++)
        item = &unit->items[i];
      const char *hint = item->hint != NULL ? item->hint : "(none)";
      CHECK_MSG(strcmp(hint, p->hint) == 0, "%s: hint: %s", p->text, hint);
      CHECK_MSG(item->place.line == line_of(model, p->text) && item->place.column == p->column,
                "%s: at %u:%u", p->text, (unsigned)item->place.line, (unsigned)item->place.column);
    }
    brink_unit_destroy(unit);
  }
}

/* The words are reserved nowhere: whoever declares them may use them. */
TEST(words_of_other_languages_may_be_names) {
  brink_unit *unit = look_at(
      "function ln(x) = log(x);\nfunction power(x, n) = x^n;\n"
      "ctc model is interface output(e, signal); end interface; body declarations state(der, "
      "real);\n"
      "state(s, real); variable(var, real); variable(equation, real); parameter(null, real); end "
      "declarations;\n"
      "initial der := 1.0; s := 2.0; end initial;\n"
      "dynamics der' = ln(s); s' = power(der, 2); var = der; equation = null*var; end dynamics;\n"
      "output e = equation; end output; assignments null : 0.5; end assignments; end body; end "
      "model;\n");
  CHECK_INT(unit->nitems, 0);
  brink_unit_destroy(unit);
}

/* Two minus signs are no comment where a formula may go on. */
TEST(a_double_minus_is_still_an_operator) {
  brink_unit *unit =
      look_at("ctc A is body declarations state(x, real); variable(z, real); end declarations;\n"
              "initial x := 1.0\n--1.0; end initial; dynamics x' = -z --1.0;\nend dynamics;\n"
              "constraints z = x;\n --z = 0 + x; end constraints; end body; end A;");
  bool comment = false;
  for (size_t k = 0; k < unit->nitems; k++)
    comment = comment || unit->items[k].code == BRINK_MSG_FOREIGN_COMMENT;
  CHECK(!comment);
  brink_unit_destroy(unit);
}

int main(void) {
  RUN(every_foreign_phrase_gives_one_error_and_the_way_to_say_it);
  RUN(words_of_other_languages_may_be_names);
  RUN(a_double_minus_is_still_an_operator);
  return check_done();
}
