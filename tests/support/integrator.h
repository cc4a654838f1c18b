/* integrator.h: a model with an input and a knob, for tests of files: x' = k*u. */
#ifndef BRINK_TESTS_INTEGRATOR_H
#define BRINK_TESTS_INTEGRATOR_H

static const char integrator[] = "ctc Integrator is\n"
                                 "  interface input(u, signal); knob(k); end interface;\n"
                                 "  body\n"
                                 "    declarations\n"
                                 "      state(x, real); parameter(k, real, (0.0, 9.0));\n"
                                 "    end declarations;\n"
                                 "    initial x := 0.0; end initial;\n"
                                 "    dynamics x' = k*u; end dynamics;\n"
                                 "    assignments u : 1.0; k : 1.0; end assignments;\n"
                                 "  end body;\n"
                                 "end Integrator;\n";

#endif
