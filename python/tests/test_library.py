from __future__ import annotations

import pytest

import brink
from brink import _library
from brink._library import ffi, lib


def test_version(tree):
    assert f'#define BRINK_VERSION "{brink.__version__}"' in (
        tree / "include/brink/brink.h"
    ).read_text()


def test_messages_show_source_line_and_caret():
    diag, model = _library.new_diag(), ffi.new("brink_hsml **")
    text = b"""ctc Decay is
  body
    declarations state(x, real); end declarations;
    initial x := 1.0; end initial;
    dynamics x' = -y; end dynamics;
  end body;
end Decay;
"""
    status = lib.brink_hsml_load_text(text, diag, model)
    messages = _library.messages_of(model[0])
    lib.brink_hsml_destroy(model[0])
    error = brink.ModelError("no", status=status, messages=messages)
    (message,) = messages
    assert (message.severity, message.line, message.column, message.length) == ("error", 5, 20, 1)
    assert message.arguments == ("y",)
    line, caret = "    dynamics x' = -y; end dynamics;\n", " " * 19 + "^"
    assert line + caret in message.rendered
    assert line + caret in str(error)


@pytest.mark.parametrize(
    "status, exception",
    [
        (lib.BRINK_ERR_ARGUMENT, brink.ArgumentError),
        (lib.BRINK_ERR_ARGUMENT, ValueError),
        (lib.BRINK_ERR_MEMORY, MemoryError),
        (lib.BRINK_ERR_UNSUPPORTED, brink.UnsupportedError),
        (lib.BRINK_ERR_MODEL, brink.ModelError),
        (lib.BRINK_ERR_FILE, OSError),
        (lib.BRINK_ERR_ZENO, brink.SimulationError),
        (lib.BRINK_ERR_STEP, RuntimeError),
    ],
)
def test_statuses_become_exceptions(status, exception):
    with pytest.raises(exception):
        _library.check(status)


def test_outcomes_are_returned():
    for status in (lib.BRINK_OK, lib.BRINK_EVENT, lib.BRINK_TIME_REACHED, lib.BRINK_STOPPED):
        assert _library.check(status) == status


def test_a_nul_in_a_text_is_refused():
    with pytest.raises(brink.ArgumentError):
        _library.encode("a\0b")
