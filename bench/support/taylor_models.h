/* taylor_models.h: the problems of bench/taylor.c in HSML. */
#ifndef BRINK_BENCH_TAYLOR_MODELS_H
#define BRINK_BENCH_TAYLOR_MODELS_H

extern const char taylor_corridor_model[];
extern const char taylor_arm_model[];
extern const char taylor_relay_model[];
extern const char taylor_garcia_linear_model[];
extern const char taylor_garcia_nonlinear_model[];
extern const char taylor_spirals_model[];
extern const char taylor_spirals_steady_model[];
extern const char taylor_henon_model[];
extern const char taylor_henon_section_model[];
extern const char taylor_kepler_model[];
extern const char taylor_kepler_apsides_model[];
extern const char taylor_lorenz_model[];
extern const char taylor_lorenz_section_model[];

#endif
