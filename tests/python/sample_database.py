# SPDX-License-Identifier: Apache-2.0
"""A study's database, written by its schema (studies/store/study_store.h) without a sweep: metrics are formulas."""

import itertools
import json
import math
import sqlite3

SCHEMA = """
CREATE TABLE study(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE machines(hash TEXT PRIMARY KEY, toml TEXT NOT NULL);
CREATE TABLE points(id TEXT PRIMARY KEY, position INTEGER NOT NULL, status TEXT NOT NULL, exit_code INTEGER NOT NULL,
  error TEXT NOT NULL, command TEXT NOT NULL, machine TEXT REFERENCES machines(hash), result TEXT);
CREATE TABLE axis_values(point TEXT NOT NULL, axis TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, number REAL,
  PRIMARY KEY (point, axis));
CREATE TABLE metrics(point TEXT NOT NULL, metric TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (point, metric));
CREATE TABLE host(point TEXT PRIMARY KEY, wall_s REAL NOT NULL, compile_s REAL NOT NULL, op_hits INTEGER NOT NULL,
  op_misses INTEGER NOT NULL, node TEXT NOT NULL);
"""

LINKS = {"328 Gb/s": 41e9, "656 Gb/s": 82e9, "1312 Gb/s": 164e9, "2624 Gb/s": 328e9}
SLICES = {"2x2": 4, "4x4": 16, "8x8": 64, "16x16": 256}


def step_time(chips, link, batch, latency=0.0):
    """Compute by the batch, an all-reduce whose time the links bound, and a latency a hop."""
    return batch * 0.9e-3 + 1e8 / link * (1 - 1 / chips) + latency * math.sqrt(chips)


def place_of(chosen):
    return {"slice": SLICES[chosen["slice"]], "link": LINKS[chosen["ici.link_rate"]],
            "batch": float(chosen["batch_per_core"])}


def fails(chosen):
    """The largest batch does not fit on the smallest slice."""
    return chosen["slice"] == "2x2" and chosen["batch_per_core"] == "256"


def write_sample(path, batches=(32, 64, 128, 256), slices=tuple(SLICES), links=tuple(LINKS), latencies=(None,)):
    """The product of the axes; the baseline is 4x4 with links of 656 Gb/s and a batch of 128. Returns the number of
    points."""
    axes = {"slice": list(slices), "ici.link_rate": list(links), "batch_per_core": [str(batch) for batch in batches]}
    if latencies != (None,):
        axes["ici.hop_latency"] = [f"{latency} ns" for latency in latencies]
    units = {"ici.link_rate": "B/s", "ici.hop_latency": "s"}
    numbers = {
        "slice": lambda text: None,
        "ici.link_rate": LINKS.get,
        "batch_per_core": float,
        "ici.hop_latency": lambda text: float(text.split()[0]) * 1e-9,
    }
    metrics = [("step_time_s", "s", False), ("samples_per_s", "1/s", False), ("utilization.mxu", "1", False),
               ("samples_per_s_per_chip", "", True)]
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    facts = {
        "schema_version": "1",
        "name": "links",
        "title": "Links & batches",
        "question": "What would faster links buy?",
        "program": "podsim 0.1.0",
        "text": 'title = "Links & batches"\n',
        "command": "run",
        "mode": "grid",
        "axes": json.dumps([{"name": name, "unit": units.get(name, ""), "group": group,
                             "values": [{"text": text, "number": numbers[name](text)} for text in values]}
                            for group, (name, values) in enumerate(axes.items())]),
        "derived": json.dumps(["chips", "global_batch"]),
        "metrics": json.dumps([{"name": name, "unit": unit, "derived": derived} for name, unit, derived in metrics]),
        "report": json.dumps({"minimise": ["step_time_s"], "maximise": ["samples_per_s"], "x": ""}),
        "baseline": "",
    }
    count = 0
    for position, values in enumerate(itertools.product(*axes.values())):
        chosen = dict(zip(axes, values))
        point = f"{position:016x}"
        chips, link, batch = (place_of(chosen)[key] for key in ("slice", "link", "batch"))
        latency = numbers["ici.hop_latency"](chosen.get("ici.hop_latency", "0 ns"))
        if (chosen["slice"], chosen["ici.link_rate"], chosen["batch_per_core"]) == ("4x4", "656 Gb/s", "128"):
            facts["baseline"] = facts["baseline"] or point
        failed = fails(chosen)
        machine = f"m{links.index(chosen['ici.link_rate'])}-{chosen.get('ici.hop_latency', '')}"
        hop = chosen.get("ici.hop_latency", "300 ns")
        database.execute(
            "INSERT OR IGNORE INTO machines VALUES (?, ?)",
            (machine, '[machine]\nname = "tpu-v3"  # published: CACM20\n\n[ici]\n'
                      f'link_rate = "{chosen["ici.link_rate"]}"  # user\n'
                      f'hop_latency = "{hop}"  # assumed: as on other parts\nports = 4  # published: ISCA21\n'))
        command = ["podsim", "run", "resnet50", "--slice", chosen["slice"], "--batch-per-core",
                   chosen["batch_per_core"], "--set", f"'ici.link_rate={chosen['ici.link_rate']}'"]
        if "ici.hop_latency" in chosen:
            command += ["--set", f"'ici.hop_latency={hop}'"]
        database.execute("INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                         (point, position, "failed" if failed else "done", 1 if failed else 0,
                          "podsim: error: the step needs 17.2 GiB, the core has 16 GiB\n" if failed else "",
                          " ".join(command), machine, None if failed else "{}"))
        for name, text in chosen.items():
            database.execute("INSERT INTO axis_values VALUES (?, ?, 'axis', ?, ?)",
                             (point, name, text, numbers[name](text)))
        for name, number in (("chips", chips), ("global_batch", 2 * chips * batch)):
            database.execute("INSERT INTO axis_values VALUES (?, ?, 'derived', ?, ?)",
                             (point, name, f"{number:g}", number))
        if not failed:
            time = step_time(chips, link, batch, latency)
            rate = 2 * chips * batch / time
            for name, number in (("step_time_s", time), ("samples_per_s", rate),
                                 ("utilization.mxu", batch * 0.4e-3 / time), ("samples_per_s_per_chip", rate / chips)):
                database.execute("INSERT INTO metrics VALUES (?, ?, ?)", (point, name, number))
        database.execute("INSERT INTO host VALUES (?, 0.04, 0.01, 480, 20, 'here')", (point,))
        count += 1
    for key, value in facts.items():
        database.execute("INSERT INTO study VALUES (?, ?)", (key, value))
    columns = [f"(SELECT coalesce(number, text) FROM axis_values WHERE point = p.id AND axis = '{name}') AS \"{name}\""
               for name in [*axes, "chips", "global_batch"]]
    columns += [f"(SELECT value FROM metrics WHERE point = p.id AND metric = '{name}') AS \"{name}\""
                for name, _, _ in metrics]
    database.execute("CREATE VIEW results AS SELECT p.id AS id, p.position AS position, p.status AS status, "
                     + ", ".join(columns) + " FROM points AS p ORDER BY p.position")
    database.commit()
    database.close()
    return count
