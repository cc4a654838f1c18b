"""python/cdef has all that the public headers declare: functions, members of structs, enumerators.

The C compiler checks what is declared there; what is not there it cannot miss.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from brink._library import ffi, lib

INCLUDE = Path(__file__).resolve().parents[2] / "include" / "brink"

# Headers that Python does without.
LEFT_OUT = {
    "build.h": "builds models of expressions, call by call: from Python, write HSML or callables",
    "jet.h": "arithmetic of series for callbacks in C, which include it",
}

# Names that Python does without.
NOT_NEEDED = {
    "BRINK_REASON_": "reasons are read by their slugs: brink_reason_name",
    "BRINK_VERSION": "brink_version() speaks of the library that is linked",
}


def read(name: str) -> str:
    """A header without comments."""
    return re.sub(r"/\*.*?\*/", "", (INCLUDE / name).read_text(), flags=re.DOTALL)


def headers() -> list[str]:
    return sorted(path.name for path in INCLUDE.glob("*.h") if path.name not in LEFT_OUT)


def functions(text: str) -> list[str]:
    """Names of functions, inline ones too.

    >>> functions("BRINK_API int\\n*brink_f(int);\\nstatic inline int brink_g(void) { return brink_f(1); }")
    ['brink_f', 'brink_g']
    """
    return re.findall(r"(?:BRINK_API|static inline)\s[^;{(]*?(brink_\w+)\(", text)


def members(text: str) -> list[tuple[str, str]]:
    """(struct, member) of all structs.

    >>> members("typedef struct a { int x, *y; struct { int u; } z; int (*f)(int k); char t[2]; } a;")
    [('a', 'x'), ('a', 'y'), ('a', 'z'), ('a', 'f'), ('a', 't')]
    """
    found = []
    for name, body in re.findall(r"typedef struct (\w+) \{((?:[^{}]|\{[^{}]*\})*)\} \1;", text):
        body = re.sub(r"struct \{[^{}]*\}", "struct nested", body)
        body = re.sub(r"\(\*(\w+)\)\([^()]*\)", r"\1", body)
        for declaration in body.split(";")[:-1]:
            for part in re.sub(r"\[\w*\]", "", declaration).split(","):
                found.append((name, re.findall(r"\w+", part)[-1]))
    return found


def enumerators(text: str) -> list[str]:
    """Names of all enumerators, those that a list of X(name, …) makes, too.

    >>> enumerators("#define BRINK_A_LIST(X) X(BRINK_B, 1)\\nenum { BRINK_C = 2, BRINK_D }")
    ['BRINK_B', 'BRINK_C', 'BRINK_D']
    """
    names = re.findall(r"\bX\(\s*(BRINK_\w+)", text)
    for body in re.findall(r"enum(?: \w+)? \{([^}]*)\}", text):
        if "#" not in body:  # else it is made by a list
            names += re.findall(r"\bBRINK_\w+", body)
    return names


def constants(text: str) -> list[str]:
    return re.findall(r"^#define (BRINK_\w+)[ \t]+[^\\\n]", text, flags=re.MULTILINE)


def is_needed(name: str) -> bool:
    return not name.startswith(tuple(NOT_NEEDED))


@pytest.mark.parametrize("header", headers())
def test_functions_are_declared(header):
    names = functions(read(header))
    assert names
    assert [name for name in names if not hasattr(lib, name)] == []


@pytest.mark.parametrize("header", headers())
def test_members_are_declared(header):
    missing = [
        f"{struct}.{member}"
        for struct, member in members(read(header))
        if member not in dict(ffi.typeof(struct).fields)
    ]
    assert missing == []


@pytest.mark.parametrize("header", headers())
def test_enumerators_are_declared(header):
    names = [name for name in enumerators(read(header)) if is_needed(name)]
    assert [name for name in names if not hasattr(lib, name)] == []


@pytest.mark.parametrize("header", headers())
def test_constants_are_declared(header):
    names = [name for name in constants(read(header)) if is_needed(name) and name != "BRINK_API"]
    assert [name for name in names if not hasattr(lib, name)] == []


def test_something_is_found():
    text = read("brink.h")
    assert "brink_sim_run" in functions(text) and "brink_default_model" in functions(text)
    assert ("brink_model_def", "reads") in members(text)
    assert ("brink_sink", "transfer") in members(text)
    assert ("brink_diag", "message") in members(text)
    assert {"BRINK_ERR_ZENO", "BRINK_BDF", "BRINK_NOT", "BRINK_POSITIVE"} <= set(enumerators(text))
    assert {"BRINK_NONE", "BRINK_DIAG_MESSAGE"} <= set(constants(text))


def test_headers_that_are_left_out_exist():
    assert all((INCLUDE / name).exists() for name in LEFT_OUT)
