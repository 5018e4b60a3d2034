# SPDX-License-Identifier: Apache-2.0
"""python3 -m podsim.build FILE.py:FUNCTION [NAME=VALUE ...] prints what the function writes."""

import ast
import inspect
import os
import sys
from typing import Any, Dict, Sequence, Tuple

from podsim import build
from podsim.build import BuildError


def _argument(written: str, default: Any) -> Any:
    """The value of NAME=TEXT: a Python literal, on or off where the default is a bool, else the text."""
    if isinstance(default, bool) and written in ("on", "off", "true", "false"):
        return written in ("on", "true")
    if isinstance(default, str):
        return written
    try:
        return ast.literal_eval(written)
    except (ValueError, SyntaxError):
        return written


def _call(workload: str, words: Sequence[str]) -> str:
    path, name = workload.rsplit(":", 1)
    with open(path, encoding="utf-8") as file:
        source = file.read()
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    module: Dict[str, Any] = {"__name__": "podsim_workload", "__file__": path}
    exec(compile(source, path, "exec"), module)  # noqa: S102, the user's own file
    functions = [key for key, value in module.items()
                 if inspect.isfunction(value) and value.__code__.co_filename == path]
    if name not in functions:
        raise BuildError(f"{path} has no function '{name}'; it has {', '.join(functions) or 'none'}")
    taken = list(inspect.signature(module[name]).parameters.values())[1:]
    by_name = {parameter.name: parameter for parameter in taken}
    arguments = {}
    for word in words:
        key, written = word.split("=", 1)
        if key not in by_name:
            raise BuildError(f"'model.{key}' is no argument of {name}, which takes {', '.join(by_name) or 'none'}")
        arguments[key] = _argument(written, by_name[key].default)
    missing = [key for key, p in by_name.items() if p.default is inspect.Parameter.empty and key not in arguments]
    if missing:
        raise BuildError(f"{name} needs a value for {', '.join(f'model.{key}' for key in missing)} (--set)")
    return build.text(module[name], **arguments)


def _place(error: BaseException, path: str) -> str:
    """The deepest line of the user's file that the error passed."""
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"{path}:{line}: " if line else ""


def _written(words: Sequence[str]) -> Tuple[int, str]:
    """An exit code, and what FILE.py:FUNCTION writes, called with NAME=VALUE, or what is wrong."""
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        return 0, _call(words[0], words[1:])
    except OSError as error:
        return 2, f"cannot read '{error.filename}': {error.strerror}"
    except Exception as error:  # pylint: disable=broad-except
        kind = "" if isinstance(error, BuildError) else f"{type(error).__name__}: "
        return 2, f"{_place(error, words[0].rsplit(':', 1)[0])}{kind}{error}"
    finally:
        sys.stdout = out


def write_to(descriptor: int, words: Sequence[str]) -> int:
    """Writes the text, or with exit code 2 what is wrong, to a descriptor that no process started by the file has."""
    os.set_inheritable(descriptor, False)
    code, text = _written(words)
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as result:
        result.write(text)
    return code


def main(words: Sequence[str]) -> int:
    """Prints what FILE.py:FUNCTION writes, called with NAME=VALUE. What the file prints goes to stderr."""
    if not words or ":" not in words[0]:
        print("usage: python3 -m podsim.build FILE.py:FUNCTION [NAME=VALUE ...]", file=sys.stderr)
        return 2
    result = os.dup(1)
    os.dup2(2, 1)  # prints of processes and libraries, too
    code, text = _written(words)
    if code == 0:
        with open(result, "w", encoding="utf-8", errors="backslashreplace") as out:
            out.write(text)
    else:
        print(f"error: {text}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
