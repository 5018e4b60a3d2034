// SPDX-License-Identifier: Apache-2.0
// Draws the charts of a study's page by the rules of the program (chart_scale.cpp, chart_frame.cpp, chart_marks.cpp), so
// that charts look the same before and after a reader's choice.
"use strict";
const studyChart = (() => {
  const letter = 6.6, line = 14, inset = 14, radius = 4.5, ring = 8.5, slack = 1e-9, palette = 8;

  const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const length = (value) => String(Math.round(value * 100) / 100);
  const textWidth = (text) => letter * [...text].length;
  /** As figure_text(): four significant digits, or all digits of the integer part if these are more. */
  const figure = (value) => {
    if (value === 0) return "0";
    return Math.abs(value) >= 1e4 ? value.toFixed(0) : String(Number(value.toPrecision(4)));
  };

  // --- pieces ---------------------------------------------------------------------------------------------------
  const text = (x, y, content, anchor = "", css = "") => `<text x="${length(x)}" y="${length(y)}"` +
    `${anchor && ` text-anchor="${anchor}"`}${css && ` class="${css}"`}>${escaped(content)}</text>`;
  const path = (points, css) =>
    `<path d="${points.map(([x, y], i) => `${i ? "L" : "M"}${length(x)} ${length(y)}`).join("")}" class="${css}"/>`;
  const straight = (x1, y1, x2, y2, css) => path([[x1, y1], [x2, y2]], css);
  const mark = ([x, y], css, point, tip) => `<circle cx="${length(x)}" cy="${length(y)}" r="${radius}"` +
    ` class="mark pick ${css}" data-point="${point}" data-tip="${escaped(tip)}"/>`;
  const circled = ([x, y]) => `<circle cx="${length(x)}" cy="${length(y)}" r="${ring}" class="ring"/>`;

  // --- scales ---------------------------------------------------------------------------------------------------
  const stepFor = (range, most) => {
    const least = range / most, power = 10 ** Math.floor(Math.log10(least));
    return power * ([1, 2, 5].find((factor) => factor * power >= least * (1 - slack)) ?? 10);
  };
  const linear = (low, high, from, to) => {
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= slack * size) {
      const around = size === 0 ? 1 : size / 2;
      low -= around;
      high += around;
    }
    return {low, high, place: (value) => from + (to - from) * (value - low) / (high - low),
      rounded(most) {
        const step = stepFor(high - low, most);
        return linear(Math.floor(low / step + slack) * step, Math.ceil(high / step - slack) * step, from, to);
      },
      ticks(most) {
        const step = stepFor(high - low, most), result = [];
        for (let n = Math.ceil(low / step - slack); n * step <= high + slack * step; ++n) result.push(n * step);
        return result;
      }};
  };
  const logarithmic = (low, high, from, to) => {
    if (low === high) {
      low /= 2;
      high *= 2;
    }
    return {low, high, place: (value) => from + (to - from) * Math.log(value / low) / Math.log(high / low),
      ticks(most) {
        const first = Math.log10(low), last = Math.log10(high), result = [];
        const every = Math.max(1, Math.ceil((last - first) / most)), between = (last - first) * 3 <= most;
        for (let decade = Math.floor(first); decade <= last + slack; ++decade) {
          if (Math.abs(decade) % every !== 0) continue;
          for (const factor of between ? [1, 2, 5] : [1]) {
            const at = decade + Math.log10(factor);
            if (at >= first - slack && at <= last + slack) result.push(factor * 10 ** decade);
          }
        }
        return result;
      }};
  };

  const yScale = (values, bottom, top, ticks, wanted) => {
    if (values.length === 0) return linear(0, 1, bottom, top);
    const least = values.reduce((a, b) => Math.min(a, b)), greatest = values.reduce((a, b) => Math.max(a, b));
    const far = wanted === "logarithmic" || (wanted === "automatic" && greatest >= 30 * least);
    if (least > 0 && far) return logarithmic(least / 1.25, greatest * 1.25, bottom, top);
    const fromZero = least >= 0 && (wanted === "zero" || (wanted === "automatic" && least <= 0.7 * greatest));
    return linear(fromZero ? 0 : least, greatest, bottom, top).rounded(ticks);
  };
  const xScale = (variable, values, left, right) => {
    if (variable.categorical) return linear(-0.5, variable.ticks.length - 0.5, left, right);
    if (values.length === 0) return linear(0, 1, left, right);
    const least = values.reduce((a, b) => Math.min(a, b)), greatest = values.reduce((a, b) => Math.max(a, b));
    return (variable.logarithmic && least > 0 ? logarithmic : linear)(least, greatest, left + inset, right - inset);
  };

  /** Scales and axes: chart_frame.cpp. */
  const frame = (width, x, y, xs, ys, wanted = "automatic") => {
    const narrow = width < 610, height = narrow ? 300 : 400, most = narrow ? 4 : 6;
    const top = 2.2 * line, bottom = height - 3.2 * line;
    const up = yScale(ys, bottom, top, most, wanted);
    const labels = up.ticks(most).map(figure);
    const left = Math.max(0, ...labels.map(textWidth)) + 12, right = width - 12;
    const along = xScale(x, xs, left, right);
    let axes = "", free = -1e9;
    const ticks = x.ticks.length ? x.ticks : along.ticks(most).map((value) => [value, figure(value)]);
    for (const [value, label] of ticks) {
      const at = along.place(value), half = textWidth(label) / 2;
      if (at < left - 0.01 || at > right + 0.01) continue;
      axes += straight(at, top, at, bottom + 4, "grid");
      if (at - half < free) continue;
      axes += text(at, bottom + line + 4, label, "middle");
      free = at + half + letter;
    }
    axes += text((left + right) / 2, bottom + 2.4 * line + 4, x.title, "middle", "axis-title");
    let below = 1e9;
    up.ticks(most).forEach((value, i) => {
      const at = up.place(value);
      axes += straight(left - 4, at, right, at, "grid");
      if (at > below) return;
      axes += text(left - 7, at + 4, labels[i], "end");
      below = at - line;
    });
    axes += text(left - 7, top - line, y.title, "", "axis-title y-title");
    axes += straight(left, bottom, right, bottom, "axis");
    return {width, height, axes, at: (mark_) => [along.place(mark_.x), up.place(mark_.y)]};
  };

  const staircase = (at, sign) => at.flatMap(([x, y], i) =>
    (i ? [sign > 0 ? [x, at[i - 1][1]] : [at[i - 1][0], y], [x, y]] : [[x, y]]));

  /**
   * series: [{marks: [{x, y, point, tip}], line, stairs, fill, stroke}]; reference: the ringed point. Returns SVG.
   * stairs: 1 or -1 if the line is the border of what a front with least or most x dominates (pareto_svg.cpp).
   */
  const draw = ({width, x, y, series, reference, label, scale}) => {
    const all = series.flatMap((one) => one.marks);
    const area = frame(width, x, y, all.map((one) => one.x), all.map((one) => one.y), scale);
    let curves = "", marks = "", rings = "";
    for (const one of series) {
      const corners = one.marks.map(area.at);
      if (one.line && corners.length)
        curves += path(one.stairs ? staircase(corners, one.stairs) : corners, `curve ${one.stroke}`);
      for (const each of one.marks) {
        marks += mark(area.at(each), one.fill, each.point, each.tip);
        if (each.point === reference) rings = circled(area.at(each));
      }
    }
    return `<svg class="chart" viewBox="0 0 ${length(width)} ${length(area.height)}" role="img" ` +
      `aria-label="${escaped(label)}">${area.axes}${curves}${rings}${marks}</svg>`;
  };

  /** For phones and for desktops, as responsive_chart(). */
  const responsive = (chart) => `<div class="on-phone">${draw({...chart, width: 360})}</div>` +
    `<div class="on-desk">${draw({...chart, width: 1000})}</div>`;
  const legend = (entries) => entries.length === 0 ? "" : `<ul class="legend">${entries.map(([label, css]) =>
    `<li><svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect x="0" y="0" width="10" height="10" ` +
    `class="${css}"/></svg>${escaped(label)}</li>`).join("")}</ul>`;

  return {responsive, legend, figure, fill: (i) => `fill-${(i % palette) + 1}`,
    stroke: (i) => `line-${(i % palette) + 1}${i < palette ? "" : " dashed"}`};
})();
