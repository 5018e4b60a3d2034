// SPDX-License-Identifier: Apache-2.0
// Script of a study's page: the choices for its charts, and the table of points.
"use strict";
(() => {
  const data = report.data("study-data");
  if (!data) return;
  const {element} = report;
  const {variables, values} = data;
  const points = data.ids.map((_, point) => point);
  const errors = report.texts(data.failed.errors);
  const failures = new Map(data.failed.points.map((point, i) => [point, `exit code ${data.failed.exit[i]}\n${errors[i]}`]));
  const isDone = (point) => !failures.has(point);
  const axes = variables.map((_, v) => v).filter((v) => variables[v].kind === "axis");
  const moving = axes.filter((v) => values[v].known.length > 1);

  // --- values -----------------------------------------------------------------------------------------------------
  const knownOf = (v, point) => values[v].known[values[v].of[point]];
  const number = (v, point) => variables[v].kind === "metric" ? values[v][point] : knownOf(v, point)[1];
  /** Position of a point on the scale of a variable: place_of() in the program. */
  const place = (v, point) => {
    if (variables[v].categorical) return values[v].of[point];
    const value = number(v, point);
    return value === null ? null : value * variables[v].factor;
  };
  const shown = (v, point) => {
    if (variables[v].kind !== "metric") return knownOf(v, point)[0];
    const value = place(v, point);
    return value === null ? "" : `${studyChart.figure(value)} ${variables[v].unit}`.trim();
  };
  const nameOf = (point) =>
    moving.map((v) => `${variables[v].name} ${shown(v, point)}`).join(", ") || "the only point";
  const tipOf = (point, said) => [nameOf(point), ...said.filter((v) => variables[v].kind !== "axis")
    .map((v) => `${variables[v].name} ${shown(v, point)}`)].join("\n");
  const alike = (one, other, but) => axes.every((v) => but.includes(v) || values[v].of[one] === values[v].of[other]);

  // --- fields -----------------------------------------------------------------------------------------------------
  const choice = (label, options, chosen, changed) => {
    const field = element("select", {}, ...options.map(([value, text]) =>
      element("option", {value, selected: String(value) === String(chosen)}, text)));
    field.addEventListener("change", () => changed(field.value));
    return element("label", {}, `${label} `, field);
  };
  const named = (list) => list.map((v) => [v, variables[v].name]);
  const place_in = (figure_, charts, legend, caption) => {
    figure_.querySelector(".legend-place").innerHTML = legend;
    figure_.querySelector(".chart-place").innerHTML = charts;
    figure_.querySelectorAll("svg.chart").forEach(report.walkable);
    figure_.querySelector("figcaption").textContent = caption;
  };

  // --- axes against metrics ---------------------------------------------------------------------------------------
  const axesChart = document.getElementById("axes-chart");
  if (axesChart) {
    const metrics = variables.map((_, v) => v).filter((v) => variables[v].kind === "metric");
    const state = {...data.chart, family: data.chart.family ?? "none", scale: "automatic", fixed: {}};
    const others = () => {
      const free = [...variables[state.x].behind, ...(state.family === "none" ? [] : variables[state.family].behind)];
      return moving.filter((v) => !free.includes(v));
    };
    /** The value of another axis: the baseline's, unless it or an axis that moves with it was chosen. */
    const fixedOf = (v) => {
      if (state.fixed[v] !== undefined) return state.fixed[v];
      const chosen = variables[v].behind.some((with_) => state.fixed[with_] !== undefined);
      return chosen || state.free || data.reference === null ? "any" : values[v].of[data.reference];
    };

    const seriesOf = () => {
      const kept = others().filter((v) => fixedOf(v) !== "any");
      const groups = new Map();
      for (const point of points) {
        if (failures.has(point) || kept.some((v) => values[v].of[point] !== Number(fixedOf(v)))) continue;
        const x = place(state.x, point), y = place(state.y, point);
        if (x === null || y === null) continue;
        const family = state.family === "none" ? "" : shown(state.family, point);
        if (!groups.has(family)) {
          groups.set(family, {label: family, at: family === "" ? 0 : place(state.family, point) ?? 0, marks: []});
        }
        const said = [state.y, state.x, ...(state.family === "none" ? [] : [state.family])];
        groups.get(family).marks.push({x, y, point, tip: tipOf(point, said)});
      }
      const series = [...groups.values()].sort((a, b) => a.at - b.at);
      const straight = !variables[state.x].categorical && variables[state.x].kind !== "metric" && !data.search;
      series.forEach((one, i) => {
        one.marks.sort((a, b) => a.x - b.x);
        one.line = straight && one.marks.every((each, k) => k === 0 || each.x !== one.marks[k - 1].x);
        one.fill = studyChart.fill(i);
        one.stroke = studyChart.stroke(i);
      });
      return series;
    };

    const draw = () => {
      const x = variables[state.x], y = variables[state.y], series = seriesOf();
      const charts = studyChart.responsive({x, y, series, reference: data.reference, scale: state.scale,
        label: `${y.name} against ${x.name}`});
      const legend = state.family === "none" ? "" : studyChart.legend(series.map((one) =>
        [`${variables[state.family].name} ${one.label}${one.line && one.stroke.includes("dashed") ? " (dashed)" : ""}`,
          one.fill]));
      const fixed = others().filter((v) => fixedOf(v) !== "any")
        .map((v) => `${variables[v].name} ${values[v].known[fixedOf(v)][0]}`);
      const marks = series.reduce((sum, one) => sum + one.marks.length, 0);
      place_in(axesChart, charts, legend, `${fixed.length ? `At ${fixed.join(", ")}. ` : ""}` +
        (marks ? "The ring is the baseline; a mark leads to its point." : "No point has these values."));
    };
    const tools = document.getElementById("chart-tools");
    const update = (key) => (value) => {
      state[key] = Number.isNaN(Number(value)) ? value : Number(value);
      fields();
      draw();
    };
    const fields = () => {
      const rest = variables.map((_, v) => v).filter((v) => variables[v].kind !== "metric" || v !== state.y);
      const families = variables.map((_, v) => v).filter((v) => v !== state.x && variables[v].kind !== "metric" &&
        values[v].known.length > 1 && values[v].known.length <= 24);
      if (state.family !== "none" && !families.includes(state.family)) state.family = "none";
      tools.replaceChildren(
        choice("Show", named(metrics), state.y, update("y")),
        choice("against", named(rest), state.x, update("x")),
        choice("a curve for each", [["none", "–"], ...named(families)], state.family, update("family")),
        ...others().filter((v) => variables[v].behind.find((with_) => moving.includes(with_)) === v)
          .map((v) => choice(variables[v].name,
          [["any", "any"], ...values[v].known.map(([text], i) => [i, text])], fixedOf(v), (value) => {
            state.fixed[v] = value === "any" ? value : Number(value);
            draw();
          })),
        choice("Scale", [["automatic", "automatic"], ["zero", "from zero"], ["near", "of the values"],
          ["logarithmic", "logarithmic"]], state.scale, update("scale")));
    };
    fields();
    draw();
  }

  // --- Pareto front -----------------------------------------------------------------------------------------------
  const frontChart = document.getElementById("front-chart");
  if (frontChart) {
    let objectives = data.objectives.map(([variable, sign]) => ({variable, sign}));
    const cost = (point) => objectives.map(({variable, sign}) => {
      const value = number(variable, point);
      return value === null ? null : sign * value;
    });
    const beats = (one, other) =>
      one.every((value, i) => value <= other[i]) && one.some((value, i) => value < other[i]);
    const frontOf = () => {
      const isEligible = (point) => data.eligible === undefined || number(data.eligible, point) !== 0;
      const candidates = points.filter(isDone).filter(isEligible).map((point) => ({point, costs: cost(point)}))
        .filter(({costs}) => !costs.includes(null));
      const compare = (a, b) => {
        for (let i = 0; i < a.costs.length; ++i) if (a.costs[i] !== b.costs[i]) return a.costs[i] - b.costs[i];
        return a.point - b.point;
      };
      const front = [];
      for (const candidate of candidates.sort(compare)) {
        if (!front.some((other) => beats(other.costs, candidate.costs))) front.push(candidate);
      }
      return new Set(front.map(({point}) => point));
    };
    const draw = () => {
      const [x, y] = objectives.map(({variable}) => variable), front = frontOf();
      const marks = points.filter(isDone)
        .map((point) => ({x: place(x, point), y: place(y, point), point, tip: tipOf(point, [x, y])}))
        .filter((each) => each.x !== null && each.y !== null);
      const best = marks.filter(({point}) => front.has(point)).sort((a, b) =>
        (variables[x].factor < 0 ? b.x - a.x : a.x - b.x));
      const series = [
        {marks: marks.filter(({point}) => !front.has(point)), line: false, fill: "fill-0"},
        {marks: best, line: objectives.length === 2 && best.length > 1, stairs: objectives[0].sign, fill: "fill-1", stroke: "line-1"}];
      const names = objectives.map(({variable, sign}) => `${sign > 0 ? "least" : "most"} ${variables[variable].name}`);
      place_in(frontChart, studyChart.responsive({x: variables[x], y: variables[y], series, label: "Pareto front",
        reference: data.reference}), "", `The objectives are ${names.join(", ")}: ${front.size} of ` +
        `${points.filter(isDone).length} points are beaten by none.`);
    };
    const numeric = variables.map((_, v) => v).filter((v) => !variables[v].categorical &&
      (variables[v].kind === "metric" || values[v].known.length > 1));
    const goals = numeric.flatMap((v) =>
      [[`${v}:1`, `least ${variables[v].name}`], [`${v}:-1`, `most ${variables[v].name}`]]);
    const picker = (at, label) => choice(label, goals, `${objectives[at].variable}:${objectives[at].sign}`, (value) => {
      const [variable, sign] = value.split(":").map(Number);
      objectives = objectives.slice(0, 2);
      objectives[at] = {variable, sign};
      draw();
    });
    document.getElementById("front-tools").replaceChildren(picker(0, "Along"), picker(1, "up"));
    draw();
  }

  // --- sensitivity --------------------------------------------------------------------------------------------------
  const tornado = document.getElementById("sensitivity-tools");
  if (tornado) {
    const drawings = [...document.querySelectorAll("[data-metric]")];
    const metrics = variables.filter(({kind}) => kind === "metric");
    const first = drawings.find((drawing) => !drawing.hidden)?.dataset.metric;
    tornado.replaceChildren(choice("Show", metrics.map(({name}, i) => [i, name]), first, (value) => {
      for (const drawing of drawings) drawing.hidden = drawing.dataset.metric !== value;
    }));
  }

  // --- points -------------------------------------------------------------------------------------------------------
  const table_place = document.getElementById("point-table");
  if (!table_place) return;
  const command = (point) => data.commands.map((column) => (Array.isArray(column) ? column[point] : column))
    .filter((word) => word >= 0).map((word) => data.words[word]).join(" ");
  const position = (point) => (data.position ? data.position[point] : point);
  const column = (v, extra, css) => {
    const {kind, title} = variables[v];
    const known = kind === "metric" ? [["", null]] : values[v].known;
    const plain = known.every(([text, value]) => value !== null && Number(text) === value);
    const quantity = !plain && known.every(([, value]) => value !== null);
    return {title: kind === "metric" ? title : variables[v].name, numeric: kind === "metric" || plain, extra,
      class: css, rising: kind === "axis",
      value: (point) => number(v, point) ?? (kind === "metric" ? -Infinity : shown(v, point).toLowerCase()),
      show: (point) => kind === "metric" ? (place(v, point) === null ? "" : studyChart.figure(place(v, point)))
        : quantity ? element("data", {value: number(v, point)}, shown(v, point)) : shown(v, point),
      text: (point) => kind === "metric" ? "" : shown(v, point)};
  };
  const metrics = variables.map((_, v) => v).filter((v) => variables[v].kind === "metric");
  const derived = variables.map((_, v) => v).filter((v) => variables[v].kind === "derived");
  const columns = [
    {title: "Point", numeric: true, rising: true, value: position,
      show: (point) => String(position(point))},
    ...axes.map((v) => column(v, !moving.includes(v))),
    ...derived.map((v) => column(v, true)),
    ...metrics.map((v, i) => column(v, i > 2, i > 0 ? "desk" : "")),
    {title: "Status", value: (point) => (isDone(point) ? "done" : "failed"), extra: failures.size === 0,
      show: (point) => (isDone(point) ? "done" : element("span", {class: "badge assumed"}, "failed")),
      text: (point) => (isDone(point) ? "done" : "failed")},
  ];
  const differences = (point) => {
    const list = data.machine[point] === null ? [] : data.machines[data.machine[point]];
    if (list.length === 0) return [element("p", {class: "note"}, "The machine is the baseline's.")];
    return [element("table", {}, element("thead", {}, element("tr", {}, ...["machine value", "here", "evidence",
      "at the baseline"].map((text) => element("th", {scope: "col"}, text)))),
    element("tbody", {}, ...list.map(([key, value, evidence, reference]) => element("tr", {},
      element("td", {}, element("code", {}, key)), element("td", {}, value),
      element("td", {}, element("span", {class: `badge ${evidence}`}, evidence)), element("td", {}, reference)))))];
  };
  const details = (point) => element("div", {id: `point-${data.ids[point]}`, class: "point-details"},
    element("p", {}, element("strong", {}, nameOf(point)), " ",
      element("a", {href: `#point-${data.ids[point]}`, class: "quiet"}, `point ${data.ids[point]}`)),
    element("pre", {}, command(point)),
    ...(isDone(point) ? [] : [element("pre", {class: "failure"}, failures.get(point))]),
    element("p", {class: "quiet"}, [...derived, ...metrics].filter((v) => shown(v, point) !== "")
      .map((v) => `${variables[v].name} ${shown(v, point)}`).join(" · ")),
    ...differences(point));
  const table = report.pagedTable(table_place, {columns, rows: points, label: "Find points", details});

  const find = (id) => {
    const point = data.ids.indexOf(id);
    if (point >= 0) table.pick(point);
  };
  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.("[data-point]");
    if (!mark) return;
    history.replaceState(null, "", `#point-${data.ids[mark.dataset.point]}`);
    find(data.ids[mark.dataset.point]);
  });
  const follow = () => { if (location.hash.startsWith("#point-")) find(location.hash.slice(7)); };
  window.addEventListener("hashchange", follow);
  follow();
})();
