#!/usr/bin/env python3
"""The stiff edge of constraints.c by SciPy: how many evaluations are past it, and is its event found?"""
import warnings

import numpy as np
from scipy.integrate import solve_ivp

warnings.simplefilter("ignore")


def run(method, tolerance):
    count = {"all": 0, "past": 0}

    def rhs(t, y):
        count["all"] += 1
        count["past"] += bool(y[0] < 0)
        return [-1e6 * (y[0] - np.cos(t)) - np.sin(t), np.sqrt(y[0])]

    def edge(_t, y):
        return y[0]

    edge.terminal = True
    try:
        result = solve_ivp(rhs, (0, 2), [2.0, 0.0], method=method, rtol=tolerance, atol=tolerance / 1000, events=edge)
        end = f"status {result.status}, t = {result.t[-1]:.10f}, y = {result.y[:, -1]}: {result.message}"
    except ValueError as error:
        end = f"exception: {error}"
    print(f"{method:6} {tolerance:.0e} {count['all']} right-hand sides, {count['past']} past the edge; {end}")


for name in ("Radau", "BDF", "LSODA"):
    for digits in (4, 6, 8):
        run(name, 10.0**-digits)
