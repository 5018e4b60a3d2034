# SPDX-License-Identifier: Apache-2.0
"""Plots of a study with matplotlib.

    python3 python/plots.py study/study.sqlite -o figures

writes axes.png, pareto.png and tornado.png; --metric, --x and --family choose. As a module, each function draws into
an Axes and returns it.
"""

import argparse
import pathlib
import sys

try:
    import matplotlib
except ImportError:
    if __name__ != "__main__":
        raise
    sys.exit("plots need matplotlib: apt install python3-matplotlib")
import podsim

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)


def _label(study, name):
    unit = study.units.get(name, "")
    return f"{name} ({unit})" if unit not in ("", "1") else name


def _scale(axis, values, least_ratio):
    numbers = [value for value in values if not isinstance(value, str)]
    if numbers and len(numbers) == len(values) and min(numbers) > 0 and max(numbers) >= least_ratio * min(numbers):
        axis("log")


def curves(axes, study, x=None, metric=None, family=None, **where):
    """A metric against an axis, a curve for every value of `family`. Other axes are at the baseline's values unless
    `where` says otherwise (values as Study.where takes them)."""
    x = x or study.x or next((axis for axis in study.varied if not isinstance(study[0][axis], str)), study.varied[0])
    metric = metric or (study.minimise + study.maximise + study.metrics)[0]
    if family is None:
        family = next((axis for axis in study.varied if axis != x and study.groups[axis] != study.groups.get(x)), None)
    if study.baseline is not None and x in study.axes:
        free = {study.groups[name] for name in (x, family) if name in study.axes}
        fixed = {axis: study.baseline.texts[axis] for axis in study.varied if study.groups[axis] not in free}
        where = {**fixed, **where}
    by_family = study.families(x, metric, family, **where)
    for label, rows in by_family.items():
        xs, ys = [row[x] for row in rows], [row[metric] for row in rows]
        style = "o-" if len(set(xs)) == len(xs) and not isinstance(xs[0], str) else "o"
        axes.plot(xs, ys, style, label=label or None, markersize=4)
    _scale(axes.set_xscale, [row[x] for rows in by_family.values() for row in rows], 8)
    _scale(axes.set_yscale, [row[metric] for rows in by_family.values() for row in rows], 30)
    ticks = {row[x]: row.texts[x] for rows in by_family.values() for row in rows if x in row.texts}
    if 0 < len(ticks) <= 10 and not any(isinstance(tick, str) for tick in ticks):
        axes.set_xticks(list(ticks), list(ticks.values()))
        axes.minorticks_off()
    if family is not None:
        axes.legend(title=family, frameon=False)
    axes.set(xlabel=_label(study, x), ylabel=_label(study, metric), title=study.title)
    return axes


def pareto(axes, study, minimise=(), maximise=()):
    """All points by two objectives, those that no other beats joined."""
    front = study.pareto(minimise, maximise)
    names = [*podsim._names(minimise), *podsim._names(maximise)] or [*study.minimise, *study.maximise]
    if len(names) < 2:
        raise podsim.PodsimError("a front needs two objectives")
    x, y = names[:2]
    rows = [row for row in study.done if x in row and y in row]
    axes.plot([row[x] for row in rows], [row[y] for row in rows], "o", color="0.7", markersize=4)
    front = sorted(front, key=lambda row: row[x])
    axes.plot([row[x] for row in front], [row[y] for row in front], "o-" if len(names) == 2 else "o", markersize=5)
    _scale(axes.set_xscale, [row[x] for row in rows], 8)
    _scale(axes.set_yscale, [row[y] for row in rows], 30)
    axes.set(xlabel=_label(study, x), ylabel=_label(study, y), title="Pareto front")
    return axes


def tornado(axes, study, metric=None):
    """How far each axis alone moves a metric from the baseline."""
    metric = metric or (study.minimise + study.maximise + study.metrics)[0]
    start = study.baseline[metric]
    bars = []
    for axis, rows in study.sensitivity(metric).items():
        if rows is not None:
            bars.append((axis, rows[0][metric] - start, rows[-1][metric] - start, rows[0], rows[-1]))
    bars.sort(key=lambda bar: max(abs(bar[1]), abs(bar[2])))
    for place, (axis, least, greatest, first, last) in enumerate(bars):
        for change, row, color in ((least, first, "tab:cyan"), (greatest, last, "tab:blue")):
            axes.barh(place, change, left=start, color=color, height=0.6)
            if change:
                axes.annotate(row.texts[axis], (start + change, place), va="center",
                              ha="left" if change > 0 else "right", fontsize=8)
    axes.axvline(start, color="black", linewidth=1)
    axes.margins(x=0.2)
    axes.set_yticks(range(len(bars)), [bar[0] for bar in bars])
    axes.set(xlabel=_label(study, metric), title="One axis at a time")
    return axes


def main():
    parser = argparse.ArgumentParser(description="Plots of a study's database with matplotlib.")
    parser.add_argument("study", help="a .sqlite file, or its folder")
    parser.add_argument("-o", "--output", default=".", help="folder for the plots [.]")
    parser.add_argument("--x")
    parser.add_argument("--metric")
    parser.add_argument("--family")
    arguments = parser.parse_args()
    study = podsim.open_study(arguments.study)
    folder = pathlib.Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    draws = {"axes": lambda axes: curves(axes, study, arguments.x, arguments.metric, arguments.family)}
    if len(study.minimise) + len(study.maximise) >= 2:
        draws["pareto"] = lambda axes: pareto(axes, study)
    if study.baseline is not None and study.baseline.done:
        draws["tornado"] = lambda axes: tornado(axes, study, arguments.metric)
    for name, draw in draws.items():
        figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
        draw(axes)
        figure.savefig(folder / f"{name}.png", dpi=150)
        plt.close(figure)
        print(f"wrote {folder / f'{name}.png'}")


if __name__ == "__main__":
    main()
