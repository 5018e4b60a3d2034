// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/text/percent.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"
#include "report/html/svg_chart.h"

namespace podsim::report::html {
namespace {

constexpr double max_decades_below = 6;  // drawn decades below the roofs; ops below these are drawn at the edge

/// Ops of one category at the same position in the drawing.
struct OpMark {
  std::size_t first = 0;  ///< index of the costliest in RunFiles::ops
  SvgPoint at = {};
  std::size_t ops = 0;
  double share = 0;
};

struct Roofs {
  double peak = 0, bandwidth = 0;  ///< FLOP/s and bytes/s of a core
  double ridge() const { return peak / bandwidth; }
  double at(double intensity) const { return std::min(peak, bandwidth * intensity); }
};

bool has_place(const RunOp& op) { return op.gflops_per_s > 0 && op.intensity > 0; }

/// Where `position` puts an op; std::nullopt: it is not drawn. The costliest marks come first, so that small ones are
/// drawn on top of large ones.
std::vector<OpMark> marks_of(const RunFiles& files,
                             const std::function<std::optional<SvgPoint>(const RunOp&)>& position) {
  std::map<std::tuple<int, int, std::string>, std::size_t> known;
  std::vector<OpMark> marks;
  for (std::size_t i = 0; i < files.ops.size(); ++i) {
    const auto at = position(files.ops[i]);
    if (!at) continue;
    const auto [found, is_new] = known.try_emplace({int(at->x), int(at->y), files.ops[i].category}, marks.size());
    if (is_new) marks.push_back({i, *at, 0, 0});
    OpMark& mark = marks[found->second];
    ++mark.ops;
    mark.share += files.ops[i].share;
  }
  std::ranges::stable_sort(marks, std::ranges::greater{}, &OpMark::share);
  return marks;
}

/// A disc; `rate` is the second half of its text.
std::string disc(const RunFiles& files, const CategoryColors& colors, const OpMark& mark, bool narrow,
                 const std::string& rate) {
  const RunOp& op = files.ops[mark.first];
  const double radius = std::clamp((narrow ? 26 : 40) * std::sqrt(mark.share), narrow ? 2.4 : 3.0, 22.0);
  const std::string name = op.op_name.empty() ? op.instruction() : op.op_name;
  std::string tip =
      fmt::format("{}\n{}, {} of the ops' time\n{}", name, op.category, base::text::percent(op.share, 2), rate);
  if (mark.ops > 1) {
    tip += fmt::format("\nand {} more here, together {}", mark.ops - 1, base::text::percent(mark.share, 2));
  }
  return svg_circle(mark.at.x, mark.at.y, radius, category_fill(colors.color(op.category)) + " mark pick",
                    tip_attribute(tip) + fmt::format(" data-op=\"{}\"", mark.first));
}

class Drawing {
 public:
  Drawing(const RunFiles& files, const CategoryColors& colors, const Roofs& roofs, double width)
      : files_(files), colors_(colors), roofs_(roofs), width_(width), narrow_(is_narrow(width)) {
    area_ = {narrow_ ? 44.0 : 64.0, 34, width - 8, narrow_ ? 300.0 : 420.0};
    double least = roofs.ridge(), most = roofs.ridge(), low = roofs.peak, high = roofs.peak;
    for (const RunOp& op : files.ops) {
      if (!has_place(op)) continue;
      least = std::min(least, op.intensity);
      most = std::max(most, op.intensity);
      low = std::min(low, op.gflops_per_s * 1e9);
      high = std::max(high, op.gflops_per_s * 1e9);
    }
    const double below = std::pow(10.0, -max_decades_below);
    x_ = ChartScale::logarithmic(std::max(least, roofs.ridge() * below), most * 3, area_.left, area_.right).rounded();
    y_ = ChartScale::logarithmic(std::max(low, roofs.peak * below), high * 1.5, area_.bottom, area_.top).rounded();
  }

  std::string svg() const {
    const auto plain = [](double value) { return fmt::format("{}", value); };
    const auto ticks = [](double value) { return si_text(value, "", 3); };
    std::string body = svg_axes(area_, {"FLOP per byte of HBM traffic", x_, plain, narrow_ ? 5 : 9},
                                {"FLOP/s of a core", y_, ticks, narrow_ ? 6 : 8});
    body += roofs() + marks();
    return svg_chart(width_, area_.bottom + 44, "Roofline: rate of every op over its operational intensity", body);
  }

 private:
  std::string roofs() const {
    const double ridge = x_.place(roofs_.ridge()), top = y_.place(roofs_.peak);
    const double from = std::max(x_.low(), y_.low() / roofs_.bandwidth);
    const SvgPoint begin{x_.place(from), y_.place(roofs_.at(from))};
    std::string text = svg_path({begin, {ridge, top}, {area_.right, top}}, "guide");
    text += svg_line(ridge, top, ridge, area_.bottom, "hint");
    const double angle = std::atan2(top - begin.y, ridge - begin.x) * 180 / std::acos(-1.0);
    const SvgPoint middle{(begin.x + ridge) / 2, (begin.y + top) / 2};
    text += fmt::format("<g transform=\"translate({} {}) rotate({})\">{}</g>", svg_number(middle.x),
                        svg_number(middle.y), svg_number(angle),
                        svg_text(0, -7, "HBM " + si_text(roofs_.bandwidth, "B/s", 3), TextAnchor::middle, "strong"));
    text += svg_text(area_.right, top - 7, "MXU " + si_text(roofs_.peak, "FLOP/s", 3), TextAnchor::end, "strong");
    return text + svg_text(ridge + 5, area_.bottom - 7, "ridge " + si_text(roofs_.ridge(), "", 3));
  }

  std::string marks() const {
    const auto position = [&](const RunOp& op) -> std::optional<SvgPoint> {
      if (!has_place(op)) return std::nullopt;
      return SvgPoint{std::max(area_.left, x_.place(op.intensity)),
                      std::min(area_.bottom, y_.place(op.gflops_per_s * 1e9))};
    };
    std::string text;
    for (const OpMark& mark : marks_of(files_, position)) {
      const RunOp& op = files_.ops[mark.first];
      text += disc(files_, colors_, mark, narrow_,
                   fmt::format("{} at {} FLOP/B, bound by {}", si_text(op.gflops_per_s * 1e9, "FLOP/s"),
                               si_text(op.intensity, "", 3), op.bound_by));
    }
    return text;
  }

  const RunFiles& files_;
  const CategoryColors& colors_;
  Roofs roofs_;
  double width_;
  bool narrow_;
  PlotArea area_;
  ChartScale x_ = ChartScale::logarithmic(1, 10, 0, 1), y_ = x_;
};

/// FLOPs per joule at an operational intensity I: 1 / (e + b / I), and with what a core always draws while the step
/// takes as long as its roof of time allows, 1 / (e + b / I + w * max(1 / peak, 1 / (rate * I))).
struct EnergyRoofs {
  double flop_j = 0, byte_j = 0;   ///< e, b
  double core_w = 0;               ///< w
  double peak = 0, bandwidth = 0;  ///< FLOP/s and bytes/s of a core

  double of_events(double intensity) const { return 1 / (flop_j + byte_j / intensity); }
  double with_always(double intensity) const {
    return 1 / (flop_j + byte_j / intensity + core_w * std::max(1 / peak, 1 / (bandwidth * intensity)));
  }
};

/// 0 for an op without arithmetic.
double flops_per_joule(const RunFiles& files, const EnergyRoofs& roofs, const RunOp& op) {
  if (!has_place(op)) return 0;
  const double seconds = files.seconds_per_step(op), joules = op.joules + roofs.core_w * seconds;
  return joules > 0 ? op.gflops_per_s * 1e9 * seconds / joules : 0;
}

std::string energy_drawing(const RunFiles& files, const CategoryColors& colors, const EnergyRoofs& roofs,
                           double width) {
  const bool narrow = is_narrow(width);
  const PlotArea area{narrow ? 44.0 : 64.0, 34, width - 8, narrow ? 300.0 : 420.0};
  const double ridge = roofs.peak / roofs.bandwidth;
  double least = ridge / 100, most = ridge * 10, low = roofs.with_always(ridge);
  for (const RunOp& op : files.ops) {
    const double rate = flops_per_joule(files, roofs, op);
    if (rate <= 0) continue;
    least = std::min(least, std::max(op.intensity, ridge * 1e-4));
    most = std::max(most, op.intensity);
    low = std::min(low, std::max(rate, roofs.with_always(ridge) * 1e-4));
  }
  const ChartScale x = ChartScale::logarithmic(least, most * 2, area.left, area.right).rounded();
  const ChartScale y = ChartScale::logarithmic(low, 1.5 / roofs.flop_j, area.bottom, area.top).rounded();
  std::string body = svg_axes(
      area, {"FLOP per byte of HBM traffic", x, [](double value) { return fmt::format("{}", value); }, narrow ? 5 : 9},
      {"FLOP per joule", y, [](double value) { return si_text(value, "", 3); }, narrow ? 6 : 8});
  std::vector<SvgPoint> events, always;
  constexpr int pieces = 80;
  for (int i = 0; i <= pieces; ++i) {
    const double intensity = x.low() * std::pow(x.high() / x.low(), double(i) / pieces);
    events.push_back({x.place(intensity), std::min(area.bottom, y.place(roofs.of_events(intensity)))});
    always.push_back({x.place(intensity), std::min(area.bottom, y.place(roofs.with_always(intensity)))});
  }
  body += svg_path(events, "hint") + svg_path(always, "guide");
  body += svg_text(area.right, events.back().y - 7, "arithmetic and HBM alone", TextAnchor::end) +
          svg_text(area.right, always.back().y - 7, "with what a core always draws", TextAnchor::end, "strong");
  const auto position = [&](const RunOp& op) -> std::optional<SvgPoint> {
    const double rate = flops_per_joule(files, roofs, op);
    if (rate <= 0) return std::nullopt;
    return SvgPoint{std::max(area.left, x.place(op.intensity)), std::min(area.bottom, y.place(rate))};
  };
  for (const OpMark& mark : marks_of(files, position)) {
    const RunOp& op = files.ops[mark.first];
    body += disc(files, colors, mark, narrow,
                 fmt::format("{} at {} FLOP/B", si_text(flops_per_joule(files, roofs, op), "FLOP/J"),
                             si_text(op.intensity, "", 3)));
  }
  return svg_chart(width, area.bottom + 44, "FLOPs per joule of every op over its operational intensity", body);
}

}  // namespace

std::string roofline_html(const RunFiles& files, const CategoryColors& colors) {
  const auto& peaks = files.stats().at("machine_peaks");
  const Roofs roofs{peaks.at("mxu_flops_per_s_per_core"), peaks.at("hbm_bytes_per_s_per_core")};
  std::size_t placed = 0;
  double share = 0;
  std::vector<LegendEntry> legend;
  for (const std::string& category : colors.categories()) {
    bool here = false;
    for (const RunOp& op : files.ops) {
      if (op.category != category || !has_place(op)) continue;
      here = true;
      ++placed;
      share += op.share;
    }
    if (here) legend.push_back({category, category_fill(colors.color(category))});
  }
  if (placed == 0) return "";
  std::string caption = fmt::format(
      "{} of {} ops, {} of the ops’ time; the others have no arithmetic. A disc’s area is its share of the time. "
      "FLOPs as XLA counts them, vector work too; bytes are operands and results, each once. Pick a disc to find its "
      "op "
      "in the table.",
      count_text(std::int64_t(placed)), count_text(std::int64_t(files.ops.size())), base::text::percent(share));
  return chart_legend(legend) +
         html_chart(responsive_chart([&](double width) { return Drawing(files, colors, roofs, width).svg(); }),
                    caption);
}

std::string energy_roofline_html(const RunFiles& files, const CategoryColors& colors) {
  const auto& energy = files.stats().at("energy");
  const auto& peaks = files.stats().at("machine_peaks");
  const double cores = files.stats().value("cores", 1.0) / files.stats().value("chips", 1.0);
  const EnergyRoofs roofs{energy.value("mxu_flop_j", 0.0), energy.value("hbm_byte_j", 0.0),
                          energy.value("chip_always_w", 0.0) / cores, peaks.at("mxu_flops_per_s_per_core"),
                          peaks.at("hbm_bytes_per_s_per_core")};
  if (roofs.flop_j <= 0 || roofs.peak <= 0 || roofs.bandwidth <= 0) return "";
  if (std::ranges::none_of(files.ops, [&](const RunOp& op) { return flops_per_joule(files, roofs, op) > 0; }))
    return "";
  return html_chart(responsive_chart([&](double width) { return energy_drawing(files, colors, roofs, width); }),
                    "Ops with arithmetic, colours as in the roofline above. An op has the energy of its events and, "
                    "for its time, what "
                    "a core always draws.");
}

}  // namespace podsim::report::html
