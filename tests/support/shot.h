/* shot.h: a shot that ends where it lands, after v^2 sin(2 angle)/g; for tests of designs. */
#ifndef BRINK_TESTS_SHOT_H
#define BRINK_TESTS_SHOT_H

static const char shot[] =
    "ctc Shot is\n"
    "  interface knob(angle, speed); view(x, y); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); state(y, real); state(vx, real); state(vy, real);\n"
    "      parameter(angle, real, (0.0, 1.6)); parameter(speed, real, (0.0, 100.0));\n"
    "      flag(ground, unilateral);\n"
    "    end declarations;\n"
    "    initial x := 0.0; y := 0.0; vx := speed*cos(angle); vy := speed*sin(angle); end initial;\n"
    "    dynamics x' = vx; y' = vy; vx' = 0.0; vy' = -9.81; ground = y; end dynamics;\n"
    "    event(ground) negative-going stop(\"landed\"); end negative-going; end event;\n"
    "    assignments angle : 0.3; speed : 10.0; end assignments;\n"
    "  end body;\n"
    "end Shot;\n";

#endif
