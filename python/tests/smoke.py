"""An installed package works: `python3 smoke.py` simulates a ball that falls, and prints where the package is."""

from __future__ import annotations

import math

import brink

BALL = """
ctc Ball is
  body
    declarations state(h, real); state(v, real); flag(floor, unilateral); end declarations;
    initial h := 1.0; v := 0.0; end initial;
    dynamics h' = v; v' = -9.81; floor = h; end dynamics;
    event(floor)
      negative-going v := -0.8*v; end negative-going;
    end event;
  end body;
end Ball;
"""


def main() -> None:
    result = brink.load(BALL).run(until=0.5)
    impact = result.events[0].t
    assert abs(impact - math.sqrt(2.0 / 9.81)) < 1e-8, impact
    assert result.t[-1] == 0.5 and len(result["h"]) == len(result.t)
    print(brink.__file__)


if __name__ == "__main__":
    main()
