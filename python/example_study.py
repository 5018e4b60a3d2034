# SPDX-License-Identifier: Apache-2.0
# An example to read cell by cell, in an editor that knows `# %%`, or to run whole: python3 python/example_study.py
# It asks what faster links between chips would buy ResNet-50, with 16 runs.

# %% A study is a file: a base, and axes along which it is varied
import pathlib
import tempfile

import podsim

STUDY = """
title = "Faster links"
question = "What would faster links buy ResNet-50?"
metrics = ["step_time_s", "samples_per_s", "utilization.ici", "breakdown_s.collective"]

[base]
workload = "resnet50"
slice = "4x4"
batch_per_core = 32

[axes]
batch_per_core = [8, 16, 32, 64]
"ici.link_rate" = ["164 Gb/s", "328 Gb/s", "656 Gb/s", "1312 Gb/s"]

[baseline]
batch_per_core = 32
"ici.link_rate" = "656 Gb/s"

[report]
minimise = ["step_time_s"]
maximise = ["samples_per_s"]
x = "ici.link_rate"
"""
scratch = tempfile.TemporaryDirectory(prefix="podsim-example-")
folder = pathlib.Path(scratch.name)
(folder / "links.toml").write_text(STUDY)

# %% One run, to see what there is to ask for
result = podsim.run("resnet50", slice="4x4", batch_per_core=32)
print(f"baseline: {1e3 * result['step_time_s']:.2f} ms a step, bound by {result['bound_by']}")

# %% All points; those that are done already are not run again
study = podsim.sweep(folder / "links.toml", jobs=2, output=folder / "links")
print(study)

# %% What a faster link gains at each batch: a row is a mapping from names to numbers
for batch in (8, 16, 32, 64):
    rows = study.where(batch_per_core=batch)
    slow, fast = rows[0], rows[-1]
    print(f"batch {batch:3}: {slow.texts['ici.link_rate']} {1e3 * slow['step_time_s']:7.2f} ms, "
          f"{fast.texts['ici.link_rate']} {1e3 * fast['step_time_s']:7.2f} ms, "
          f"{slow['step_time_s'] / fast['step_time_s']:.3f} times")

# %% Points that no other beats
for row in study.pareto(minimise="step_time_s", maximise="samples_per_s"):
    print(f"{row.name()}: {1e3 * row['step_time_s']:.2f} ms, {row['samples_per_s']:.0f} samples/s")

# %% How far each axis alone moves the step from the baseline
for axis, rows in study.sensitivity("step_time_s").items():
    ends = " to ".join(f"{1e3 * row['step_time_s']:.2f} ms ({row.texts[axis]})" for row in (rows[0], rows[-1]))
    print(f"{axis}: {ends}")

# %% Points that failed, if any, say why
for row in study.failed:
    print(f"{row.name()}: exit code {row.exit_code}\n{row.error}")
