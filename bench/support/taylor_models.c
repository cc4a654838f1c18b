/* taylor_models.c: the problems of bench/taylor.c in HSML, as a user writes them. */
#include "support/taylor_models.h"

/* Esposito & Kumar 2007, example 1. */
const char taylor_corridor_model[] =
    "ctc Corridor is\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); state(y, real); state(theta, real);\n"
    "      mode(steering, {\"straight\", \"left\"});\n"
    "      flag(bend);\n"
    "      flag(hit, unilateral);\n"
    "    end declarations;\n"
    "    initial x := 0.0; y := -0.089; theta := -0.15; steering := \"straight\"; end initial;\n"
    "    dynamics\n"
    "      x' = cos(theta);\n"
    "      y' = sin(theta);\n"
    "      theta' = if steering = \"left\" then 0.2 else 0.0;\n"
    "      bend = x - 1.75;\n"
    "      hit = (y >= 0.5) or (x >= 3.5) or ((y <= -0.4) and (x <= 2.8));\n"
    "    end dynamics;\n"
    "    event(bend) positive-going steering := \"left\"; end positive-going; end event;\n"
    "    event(hit) positive-going stop(\"a wall\"); end positive-going; end event;\n"
    "  end body;\n"
    "end Corridor;\n";

/* Esposito & Kumar 2007, example 2: joints that track the inverse kinematics (eqs. 25-26) of a point
 * that leaves the workspace. */
const char taylor_arm_model[] =
    "ctc Arm is\n"
    "  interface knob(vx); knob(vy); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); state(y, real); state(th1, real); state(th2, real);\n"
    "      parameter(vx, real); parameter(vy, real);\n"
    "      parameter(l1, real); parameter(l2, real); parameter(gain, real);\n"
    "      variable(goal1, real); variable(goal2, real);\n"
    "      flag(out_of_reach, unilateral);\n"
    "    end declarations;\n"
    "    initial x := 0.6; y := 0.5; th1 := 0.0; th2 := 0.0; end initial;\n"
    "    dynamics\n"
    "      x' = vx;\n"
    "      y' = vy;\n"
    "      goal1 = atan2(y, x)\n"
    "              - acos((x^2 + y^2 + l1^2 - l2^2)/(2.0*l1*sqrt(x^2 + y^2)));\n"
    "      goal2 = atan2(y - l1*sin(goal1), x - l1*cos(goal1)) - goal1;\n"
    "      th1' = gain*(goal1 - th1);\n"
    "      th2' = gain*(goal2 - th2);\n"
    "      out_of_reach = x^2 + y^2 - (l1 + l2)^2;\n"
    "    end dynamics;\n"
    "    event(out_of_reach) positive-going stop(\"out of reach\"); end positive-going; end "
    "event;\n"
    "    assignments vx : 0.3; vy : 0.15; l1 : 1.0; l2 : 0.8; gain : 5.0; end assignments;\n"
    "  end body;\n"
    "end Arm;\n";

/* Taylor 1995. */
const char taylor_relay_model[] = "ctc Relay is\n"
                                  "  body\n"
                                  "    declarations\n"
                                  "      state(x1, real); state(x2, real);\n"
                                  "      flag(phi);\n"
                                  "    end declarations;\n"
                                  "    initial x1 := 0.25; x2 := 0.0; end initial;\n"
                                  "    dynamics\n"
                                  "      x1' = x2;\n"
                                  "      x2' = -sgn(phi);\n"
                                  "      phi = x1;\n"
                                  "    end dynamics;\n"
                                  "  end body;\n"
                                  "end Relay;\n";

/* Garcia 2004, both examples, up to the first event. */
const char taylor_garcia_linear_model[] =
    "ctc Spiral is\n"
    "  interface knob(alpha); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x1, real); state(x2, real);\n"
    "      parameter(alpha, real);\n"
    "      flag(g);\n"
    "    end declarations;\n"
    "    initial x1 := -2.0; x2 := -2.0; end initial;\n"
    "    dynamics\n"
    "      if sgn(g) >= 0 then\n"
    "        x1' = x1 - x2;\n"
    "        x2' = x1 + x2;\n"
    "      else\n"
    "        x1' = 0.0;\n"
    "        x2' = -1.0;\n"
    "      end if;\n"
    "      g = x2 + alpha;\n"
    "    end dynamics;\n"
    "    event(g) negative-going stop(\"the line\"); end negative-going; end event;\n"
    "    assignments alpha : 9.0; end assignments;\n"
    "  end body;\n"
    "end Spiral;\n";

const char taylor_garcia_nonlinear_model[] =
    "ctc Quintic is\n"
    "  interface knob(alpha); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x1, real); state(x2, real);\n"
    "      parameter(alpha, real);\n"
    "      flag(g);\n"
    "    end declarations;\n"
    "    initial x1 := -2.5; x2 := 951.5625; end initial;\n"
    "    dynamics\n"
    "      if sgn(g) >= 0 then\n"
    "        x1' = 1.0;\n"
    "        x2' = 10.0*(1.0 - 5.0*x1^4);\n"
    "      else\n"
    "        x1' = 0.0;\n"
    "        x2' = -1.0;\n"
    "      end if;\n"
    "      g = x2 + alpha;\n"
    "    end dynamics;\n"
    "    event(g) negative-going stop(\"the line\"); end negative-going; end event;\n"
    "    assignments alpha : 4.0; end assignments;\n"
    "  end body;\n"
    "end Quintic;\n";

/* Two cars on logarithmic spirals about (0, 0) and (d, 0), after Esposito, Kumar & Pappas 2001: speed
 * k times the radius, so that the heading turns at the constant rate w. */
const char taylor_spirals_model[] =
    "ctc Spirals is\n"
    "  interface knob(k1); knob(w1); knob(k2); knob(w2); knob(d); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x1, real); state(y1, real); state(th1, real);\n"
    "      state(x2, real); state(y2, real); state(th2, real);\n"
    "      parameter(k1, real); parameter(w1, real); parameter(k2, real); parameter(w2, real);\n"
    "      parameter(d, real); parameter(r, real);\n"
    "      variable(v1, real); variable(v2, real);\n"
    "      flag(gap, unilateral);\n"
    "    end declarations;\n"
    "    initial x1 := 1.0; y1 := 0.0; th1 := 0.0; x2 := 2.0; y2 := 0.0; th2 := 0.0; end initial;\n"
    "    dynamics\n"
    "      v1 = k1*sqrt(x1^2 + y1^2);\n"
    "      x1' = v1*cos(th1);\n"
    "      y1' = v1*sin(th1);\n"
    "      th1' = w1;\n"
    "      v2 = k2*sqrt((x2 - d)^2 + y2^2);\n"
    "      x2' = v2*cos(th2);\n"
    "      y2' = v2*sin(th2);\n"
    "      th2' = w2;\n"
    "      gap = (x1 - x2)^2 + (y1 - y2)^2 - r^2;\n"
    "    end dynamics;\n"
    "    event(gap) negative-going stop(\"the cars have met\"); end negative-going; end event;\n"
    "    assignments k1 : 5.0; w1 : 4.98; k2 : 0.5; w2 : 0.49; d : 68.0; r : 0.2; end "
    "assignments;\n"
    "  end body;\n"
    "end Spirals;\n";

/* The same with steady speeds v; the heading turns at v sin(psi) over the radius: s = v sin(psi). */
const char taylor_spirals_steady_model[] =
    "ctc Spirals is\n"
    "  interface knob(v1); knob(s1); knob(v2); knob(s2); knob(d); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x1, real); state(y1, real); state(th1, real);\n"
    "      state(x2, real); state(y2, real); state(th2, real);\n"
    "      parameter(v1, real); parameter(s1, real); parameter(v2, real); parameter(s2, real);\n"
    "      parameter(d, real); parameter(r, real);\n"
    "      flag(gap, unilateral);\n"
    "    end declarations;\n"
    "    initial x1 := 1.0; y1 := 0.0; th1 := 0.0; x2 := 2.0; y2 := 0.0; th2 := 0.0; end initial;\n"
    "    dynamics\n"
    "      x1' = v1*cos(th1);\n"
    "      y1' = v1*sin(th1);\n"
    "      th1' = s1/sqrt(x1^2 + y1^2);\n"
    "      x2' = v2*cos(th2);\n"
    "      y2' = v2*sin(th2);\n"
    "      th2' = s2/sqrt((x2 - d)^2 + y2^2);\n"
    "      gap = (x1 - x2)^2 + (y1 - y2)^2 - r^2;\n"
    "    end dynamics;\n"
    "    event(gap) negative-going stop(\"the cars have met\"); end negative-going; end event;\n"
    "    assignments v1 : 5.0; s1 : 4.98; v2 : 0.25; s2 : 0.25; d : 5.0; r : 0.2; end "
    "assignments;\n"
    "  end body;\n"
    "end Spirals;\n";

/* Hénon & Heiles 1964. */
#define HENON_DECLARATIONS                                                                         \
  "ctc Henon is\n"                                                                                 \
  "  body\n"                                                                                       \
  "    declarations\n"                                                                             \
  "      state(x, real); state(y, real); state(vx, real); state(vy, real);\n"
#define HENON_DYNAMICS                                                                             \
  "    end declarations;\n"                                                                        \
  "    initial x := 0.1; y := 0.2; vx := 0.3; vy := 0.1; end initial;\n"                           \
  "    dynamics\n"                                                                                 \
  "      x' = vx;\n"                                                                               \
  "      y' = vy;\n"                                                                               \
  "      vx' = -x - 2.0*x*y;\n"                                                                    \
  "      vy' = -y - x^2 + y^2;\n"
#define HENON_END                                                                                  \
  "  end body;\n"                                                                                  \
  "end Henon;\n"

const char taylor_henon_model[] = HENON_DECLARATIONS HENON_DYNAMICS "    end dynamics;\n" HENON_END;

/* Nothing happens at the section: the event is told to whoever listens. */
const char taylor_henon_section_model[] = HENON_DECLARATIONS
    "      flag(section);\n" HENON_DYNAMICS "      section = x;\n"
    "    end dynamics;\n"
    "    event(section) positive-going end positive-going; end event;\n" HENON_END;

#define KEPLER(flags, events)                                                                      \
  "ctc Kepler is\n"                                                                                \
  "  body\n"                                                                                       \
  "    declarations\n"                                                                             \
  "      state(x, real); state(y, real); state(u, real); state(v, real);\n" flags                  \
  "      variable(r2, real);\n"                                                                    \
  "    end declarations;\n"                                                                        \
  "    initial x := 0.1; y := 0.0; u := 0.0; v := 4.358898943540674; end initial;\n"               \
  "    dynamics\n"                                                                                 \
  "      r2 = x^2 + y^2;\n"                                                                        \
  "      x' = u; y' = v;\n"                                                                        \
  "      u' = -x*r2^(-1.5);\n"                                                                     \
  "      v' = -y*r2^(-1.5);\n" events "  end body;\n"                                              \
  "end Kepler;\n"

/* Eccentricity 0.9; an event at every apsis. */
const char taylor_kepler_model[] = KEPLER("", "    end dynamics;\n");
const char taylor_kepler_apsides_model[] =
    KEPLER("      flag(apsis);\n", "      apsis = x*u + y*v;\n"
                                   "    end dynamics;\n"
                                   "    event(apsis) negative-going end negative-going; "
                                   "end event;\n");

#define LORENZ(flags, events)                                                                      \
  "ctc Lorenz is\n"                                                                                \
  "  body\n"                                                                                       \
  "    declarations\n"                                                                             \
  "      state(x, real); state(y, real); state(z, real);\n" flags "    end declarations;\n"        \
  "    initial x := 1.0; y := 1.0; z := 20.0; end initial;\n"                                      \
  "    dynamics\n"                                                                                 \
  "      x' = 10.0*(y - x);\n"                                                                     \
  "      y' = x*(28.0 - z) - y;\n"                                                                 \
  "      z' = x*y - 2.6666666666666665*z;\n" events "  end body;\n"                                \
  "end Lorenz;\n"

const char taylor_lorenz_model[] = LORENZ("", "    end dynamics;\n");
const char taylor_lorenz_section_model[] =
    LORENZ("      flag(section);\n", "      section = z - 27.0;\n"
                                     "    end dynamics;\n"
                                     "    event(section) negative-going end negative-going; "
                                     "end event;\n");
