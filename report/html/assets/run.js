// SPDX-License-Identifier: Apache-2.0
// Script of a run's page: the table of ops, the discs of the roofline that lead to their op, the timeline.
"use strict";
(() => {
  const data = report.data("run-data");
  if (!data) return;
  const {element, svg, si, texts} = report;

  // --- ops as objects -----------------------------------------------------------------------------------------------
  const hlo = texts(data.ops.hlo), names = texts(data.ops.name);
  let total = 0;
  const ops = data.ops.kind.map((kind, place) => {
    const [category, bound, gflops, bandwidth, intensity, stalled, rematerialised, outside] = data.ops.kinds[kind];
    const average = data.ops.times[data.ops.time[place]], count = data.ops.count[place];
    total += average * count;
    return {rank: place + 1, category: data.ops.categories[category], bound: data.ops.bounds[bound], gflops, bandwidth,
      intensity, stalled, rematerialised: data.ops.words[rematerialised], outside: data.ops.words[outside], average,
      count, time: average * count, hlo: hlo[place], name: names[place]};
  });
  let sum = 0;
  for (const op of ops) {
    op.share = total > 0 ? op.time / total : 0;
    sum += op.time;
    op.cumulative = total > 0 ? sum / total : 0;
  }
  const title = (op) => op.name || (op.hlo.match(/^%([^ ]+)/) ?? [op.hlo, op.hlo])[1];

  const fixed = (digits) => (value) => value.toFixed(digits);
  const percent = (value) => (100 * value).toFixed(2);
  const significant = (value) => value === 0 ? "0" : value >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(4)));
  const number = (heading, key, show, css = "desk", more = {}) =>
    ({title: heading, value: (op) => op[key], show: (op) => show(op[key]), numeric: true, class: css, ...more});
  const text = (heading, key, css = "desk", show = (op) => op[key], more = {}) =>
    ({title: heading, value: (op) => op[key].toLowerCase(), show, text: (op) => op[key], class: css, ...more});
  const columns = [
    number("Rank", "rank", String, "", {rising: true}),
    text("TF op", "name", "name", title),
    number("Total self time (%)", "share", percent, ""),
    number("Avg. self time (µs)", "average", fixed(3), ""),
    text("Bound by", "bound", ""),
    text("Category", "category"),
    text("HLO op", "hlo", "desk name code", (op) => element("code", {}, op.hlo.slice(0, 120))),
    number("#Occur\u00adrences", "count", String),
    number("%time stalled by DMA", "stalled", percent),
    number("Measured GFLOP/s", "gflops", significant),
    number("Measured Memory BW (GiB/s)", "bandwidth", significant),
    number("Operational Intensity (FLOP/Byte)", "intensity", significant),
    number("Total time (µs)", "time", fixed(3), "", {extra: true}),
    number("Avg. time (µs)", "average", fixed(3), "", {extra: true}),
    number("Total self time (µs)", "time", fixed(3), "", {extra: true}),
    number("Cumulative total self time (%)", "cumulative", percent, "", {rising: true, extra: true}),
    text("HLO Remateriali\u00adzation", "rematerialised", "", undefined, {extra: true}),
    text("Outside Compilation", "outside", "", undefined, {extra: true}),
  ];
  const details = (op) => element("div", {}, element("strong", {}, title(op)),
    element("p", {class: "quiet"}, `${op.count} × ${si(op.average * 1e-6, "s")} in ${data.steps} steps, ` +
      `${percent(op.share)} % of the ops’ time; ${significant(op.gflops)} GFLOP/s, ${significant(op.bandwidth)} GiB/s, ` +
      `${significant(op.intensity)} FLOP/B, bound by ${op.bound}`), element("code", {}, op.hlo));
  const place = document.getElementById("op-table");
  const table = report.pagedTable(place, {columns, rows: ops, label: "Find ops", details});

  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.("[data-op]");
    if (mark && ops[mark.dataset.op]) table.pick(ops[mark.dataset.op]);
  });

  // --- timeline ---------------------------------------------------------------------------------------------------
  const frame = document.getElementById("timeline-chart");
  const spans = [];
  {
    const {op, category, duration, durations, gaps, merged} = data.spans;
    const gap = new Map(gaps), together = new Map(merged);
    let at = 0, foreign = 0;
    op.forEach((row, i) => {
      at += gap.get(i) ?? 0;
      const length = durations[duration[i]];
      const kind = row < 0 ? category[foreign++] : data.categories.indexOf(ops[row].category);
      spans.push({begin: at, end: at + length, op: row < 0 ? null : ops[row], kind, merged: together.get(i) ?? 1});
      at += length;
    });
  }
  if (spans.length === 0) {
    frame.replaceChildren(element("p", {}, "Nothing was recorded."));
    return;
  }
  const end = Math.max(...spans.map((span) => span.end));
  const collective = ["ICI", "other cores"];
  const lanes = [["compute", (op) => !collective.includes(op) && op !== "host"],
    ["collectives", (op) => collective.includes(op)], ["host", (op) => op === "host"]]
    .filter(([, fits]) => spans.some((span) => fits(span.op?.bound)));
  for (const span of spans) span.lane = Math.max(0, lanes.findIndex(([, fits]) => fits(span.op?.bound)));
  const second = (ps) => si(ps * 1e-12, "s", 5);

  const view = {from: 0, to: end};
  const least = Math.max(1000, end / 1e6);
  const laneHeight = 42, head = 22, left = 0;
  const picture = svg("svg", {class: "chart timeline", role: "img", tabindex: "0", "data-own-tip": "",
    "aria-label": "Timeline of one core; arrow keys move, plus and minus zoom, 0 shows all"});
  const where = element("output", {class: "quiet"});
  const shown = element("span", {class: "quiet"});

  const ticks = (from, to, most) => {
    const rough = (to - from) / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
    const result = [];
    for (let n = Math.ceil(from / step); n * step <= to; ++n) result.push(n * step);
    return result;
  };

  // Spans narrower than a pixel are drawn together with their neighbours, in the colour of the longest.
  const visible = (lane, scale) => {
    const result = [];
    let joined = 0;
    for (const span of spans) {
      if (span.lane !== lane || span.end < view.from || span.begin > view.to) continue;
      const begin = (Math.max(span.begin, view.from) - view.from) * scale;
      const width = (Math.min(span.end, view.to) - view.from) * scale - begin;
      const last = result.at(-1);
      if (last && width < 1 && last.width < 1.5 && begin - (last.begin + last.width) < 0.5) {
        last.width = begin + width - last.begin;
        last.count += span.merged;
        joined += 1;
        if (span.end - span.begin > last.span.end - last.span.begin) last.span = span;
      } else {
        result.push({span, begin, width, count: span.merged});
      }
    }
    return [result, joined];
  };

  const describe = ({span, count}) => {
    const kind = data.categories[span.kind];
    const name = span.op ? title(span.op) : kind;
    const more = count > 1 ? `\nand ${count - 1} shorter neighbours` : "";
    return `${name}\n${kind}${span.op ? `, bound by ${span.op.bound}` : ""}\n` +
      `${second(span.begin)} to ${second(span.end)}: ${second(span.end - span.begin)}${more}`;
  };

  let width = 0;
  const draw = () => {
    width = frame.clientWidth;
    const height = head + lanes.length * laneHeight + 6, scale = width / (view.to - view.from);
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("height", height);
    picture.replaceChildren();
    for (const tick of ticks(view.from, view.to, Math.max(2, width / 110))) {
      const x = (tick - view.from) * scale;
      picture.append(svg("path", {class: "grid", d: `M${x} 14V${height}`}),
        svg("text", {x: Math.min(x + 3, width - 40), y: 11}, second(tick)));
    }
    let joined = 0;
    lanes.forEach(([name], lane) => {
      const top = head + lane * laneHeight;
      const [marks, together] = visible(lane, scale);
      joined += together;
      for (const mark of marks) {
        const rect = svg("rect", {x: mark.begin.toFixed(2), y: top + 12, width: Math.max(0.4, mark.width).toFixed(2),
          height: laneHeight - 14, class: `fill-${data.palette[mark.span.kind]}${mark.width > 3 ? " outline" : ""}`});
        rect.mark = mark;
        picture.append(rect);
        const label = mark.span.op ? title(mark.span.op) : data.categories[mark.span.kind];
        if (mark.width > label.length * 6.4 + 10) {
          picture.append(svg("text", {x: mark.begin + 5, y: top + 30, class: "inside"}, label));
        }
      }
      picture.append(svg("text", {x: left, y: top + 9}, name));
    });
    where.textContent = `${second(view.from)} to ${second(view.to)}`;
    shown.textContent = joined > 0 ? `${joined} spans narrower than a pixel are drawn with their neighbours` : "";
  };
  const move = (from, to) => {
    const length = Math.min(end, Math.max(least, to - from));
    view.from = Math.min(Math.max(0, from), end - length);
    view.to = view.from + length;
    report.hideTip();
    draw();
  };
  const zoom = (factor, at = 0.5) => {
    const length = (view.to - view.from) / factor, middle = view.from + (view.to - view.from) * at;
    move(middle - length * at, middle + length * (1 - at));
  };
  const pan = (share) => {
    const by = (view.to - view.from) * share;
    move(view.from + by, view.to + by);
  };

  const button = (label, name, action) =>
    element("button", {type: "button", class: "button", "aria-label": name, title: name, onclick: action}, label);
  frame.replaceChildren(
    element("div", {class: "tools"}, button("+", "zoom in", () => zoom(2)), button("−", "zoom out", () => zoom(0.5)),
      button("‹", "earlier", () => pan(-0.5)), button("›", "later", () => pan(0.5)),
      button("All", "show the whole step", () => move(0, end)), where),
    picture, element("p", {class: "note"}, shown),
    element("ul", {class: "legend"}, ...[...new Set(spans.map((span) => span.kind))].sort((a, b) => a - b)
      .map((kind) => {
        const swatch = svg("svg", {class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true"});
        swatch.append(svg("rect", {width: 10, height: 10, class: `fill-${data.palette[kind]}`}));
        return element("li", {}, swatch, data.categories[kind]);
      })));

  picture.addEventListener("keydown", (event) => {
    const act = {ArrowLeft: () => pan(-0.25), ArrowRight: () => pan(0.25), "+": () => zoom(2), "=": () => zoom(2),
      "-": () => zoom(0.5), 0: () => move(0, end), Home: () => move(0, end)}[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;  // the page scrolls
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.25 : 0.8, event.offsetX / width);
  }, {passive: false});

  // One finger or the mouse drags, two fingers pinch.
  const fingers = new Map();
  let dragged = false;
  picture.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event.clientX);
    dragged = false;
  });
  picture.addEventListener("pointermove", (event) => {
    const mark = document.elementFromPoint(event.clientX, event.clientY)?.mark;
    if (fingers.size === 0) {
      if (mark) report.showTip(describe(mark), event.clientX, event.clientY);
      else report.hideTip();
    }
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, x]) => x);
    if (others.length === 0) {
      if (!dragged && Math.abs(event.clientX - before) < 4) return;
      dragged = true;
      pan((before - event.clientX) / width);
    } else {
      dragged = true;
      const box = picture.getBoundingClientRect();
      const apart = Math.abs(before - others[0]), now = Math.abs(event.clientX - others[0]);
      if (apart > 4 && now > 4) zoom(now / apart, (others[0] - box.left) / width);
    }
    fingers.set(event.pointerId, event.clientX);
  });
  const release = (event) => fingers.delete(event.pointerId);
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) picture.addEventListener(name, release);
  picture.addEventListener("click", (event) => {
    const mark = event.target.mark;
    if (!mark || dragged) return;
    if (mark.span.op) table.pick(mark.span.op);
  });
  new ResizeObserver(() => { if (frame.clientWidth !== width) draw(); }).observe(frame);
  draw();
  addEventListener("beforeprint", draw);
})();
