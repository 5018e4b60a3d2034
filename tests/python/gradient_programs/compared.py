# SPDX-License-Identifier: Apache-2.0
"""The gradients that podsim makes of a program, and how far they are from a framework's."""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np


def _run(*words):
    done = subprocess.run([os.environ["PODSIM"], "hlo", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def gradients(text, arguments, parameters):
    """The loss, and its gradients by the parameters of these numbers, evaluated at the arguments."""
    with tempfile.TemporaryDirectory(prefix="podsim-gradients-") as name:
        folder = pathlib.Path(name)
        (folder / "loss").write_text(text)
        files = [str(folder / f"x{i}.npy") for i in range(len(arguments))]
        for file, argument in zip(files, arguments):
            np.save(file, argument)
        step = _run("grad", str(folder / "loss"), "--parameters", ",".join(map(str, parameters)))
        (folder / "step.hlo").write_text(step)
        values = json.loads(_run("eval", str(folder / "step.hlo"), "--json", "--args", *files))["results"][0]["elements"]
        *made, loss = (np.array(part["value"], dtype=np.float64) for part in values)
        return loss, made


def difference(made, wanted):
    """The largest error of a gradient against its largest element. An array whose gradient vanishes, as that of a bias
    before a norm, is rounding alone, and is held against a fiftieth of the largest gradient."""
    assert len(made) == len(wanted)
    wanted = [np.asarray(array, dtype=np.float64) for array in wanted]
    floor = max(0.02 * max((np.abs(w).max(initial=0) for w in wanted), default=0), 1e-30)
    worst = 0.0
    for m, w in zip(made, wanted):
        assert m.shape == w.shape, f"{m.shape} instead of {w.shape}"
        error = np.abs(m - w).max(initial=0) / max(np.abs(w).max(initial=0), floor)
        worst = max(worst, error if np.isfinite(error) else np.inf)
    return worst


def all_differences(programs):
    """{name: the difference, or what went wrong}. `programs` yields name, text, arguments, parameters, loss, gradients:
    what a framework makes of the next one, while podsim evaluates those before."""
    def one(text, arguments, parameters, loss, wanted):
        try:
            own, made = gradients(text, arguments, parameters)
            return max(difference(made, wanted), difference([own], [loss]))
        except (AssertionError, ValueError) as error:
            return str(error)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {name: pool.submit(one, *rest) for name, *rest in programs}
    return {name: future.result() for name, future in running.items()}
