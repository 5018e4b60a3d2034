// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text/percent.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"
#include "report/html/svg_chart.h"

namespace podsim::report::html {
namespace {

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

/// An op in the drawing.
struct EnergyMark {
  const RunOp* op = nullptr;
  double flops_per_joule = 0;
};

std::vector<EnergyMark> energy_marks(const RunFiles& files, const EnergyRoofs& roofs) {
  std::vector<EnergyMark> marks;
  for (const RunOp& op : files.ops) {
    if (op.gflops_per_s <= 0 || op.intensity <= 0) continue;
    const double seconds = files.seconds_per_step(op), joules = op.joules + roofs.core_w * seconds;
    if (joules > 0) marks.push_back({&op, op.gflops_per_s * 1e9 * seconds / joules});
  }
  // The costliest are drawn first, so that small marks are on top of large ones.
  std::ranges::stable_sort(marks, std::ranges::greater{}, [](const EnergyMark& mark) { return mark.op->share; });
  constexpr std::size_t most = 600;
  marks.resize(std::min(marks.size(), most));
  return marks;
}

std::string energy_drawing(const std::vector<EnergyMark>& marks, const CategoryColors& colors, const EnergyRoofs& roofs,
                           double width) {
  const bool narrow = is_narrow(width);
  const PlotArea area{narrow ? 44.0 : 64.0, 34, width - 8, narrow ? 300.0 : 420.0};
  const double ridge = roofs.peak / roofs.bandwidth;
  double least = ridge / 100, most = ridge * 10, low = roofs.with_always(ridge);
  for (const EnergyMark& mark : marks) {
    least = std::min(least, std::max(mark.op->intensity, ridge * 1e-4));
    most = std::max(most, mark.op->intensity);
    low = std::min(low, std::max(mark.flops_per_joule, roofs.with_always(ridge) * 1e-4));
  }
  const ChartScale x = ChartScale::logarithmic(least, most * 2, area.left, area.right).rounded();
  const ChartScale y = ChartScale::logarithmic(low, 1.5 / roofs.flop_j, area.bottom, area.top).rounded();
  std::string body = svg_axes(area, {"FLOP per byte of HBM traffic", x, [](double value) { return fmt::format("{}", value); },
                                     narrow ? 5 : 9},
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
  for (const EnergyMark& mark : marks) {
    const double radius = std::clamp((narrow ? 26 : 40) * std::sqrt(mark.op->share), narrow ? 2.4 : 3.0, 22.0);
    const std::string name = mark.op->op_name.empty() ? mark.op->instruction() : mark.op->op_name;
    body += svg_circle(std::max(area.left, x.place(mark.op->intensity)),
                       std::min(area.bottom, y.place(mark.flops_per_joule)), radius,
                       category_fill(colors.color(mark.op->category)) + " mark",
                       tip_attribute(fmt::format("{}\n{}, {} of the ops' time\n{} at {} FLOP/B", name,
                                                 mark.op->category, base::text::percent(mark.op->share, 2),
                                                 si_text(mark.flops_per_joule, "FLOP/J"),
                                                 si_text(mark.op->intensity, "", 3))));
  }
  return svg_chart(width, area.bottom + 44, "FLOPs per joule of every op over its operational intensity", body);
}

}  // namespace

std::string energy_roofline_html(const RunFiles& files, const CategoryColors& colors) {
  const auto& energy = files.stats().at("energy");
  const auto& peaks = files.stats().at("machine_peaks");
  const double cores = files.stats().value("cores", 1.0) / files.stats().value("chips", 1.0);
  const EnergyRoofs roofs{energy.value("mxu_flop_j", 0.0), energy.value("hbm_byte_j", 0.0),
                          energy.value("chip_always_w", 0.0) / cores, peaks.at("mxu_flops_per_s_per_core"),
                          peaks.at("hbm_bytes_per_s_per_core")};
  if (roofs.flop_j <= 0 || roofs.peak <= 0 || roofs.bandwidth <= 0) return "";
  const std::vector<EnergyMark> marks = energy_marks(files, roofs);
  if (marks.empty()) return "";
  return html_chart(
      responsive_chart([&](double width) { return energy_drawing(marks, colors, roofs, width); }),
      "Ops with arithmetic, colours as in the roofline above. An op has the energy of its events and, for its time, what "
      "a core always draws.");
}

}  // namespace podsim::report::html
