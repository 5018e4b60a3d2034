// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/percent.h"
#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"
#include "report/html/svg_chart.h"

namespace podsim::report::html {
namespace {

/// A part of the chip over the step, or all that are not drawn one by one.
struct PowerBand {
  std::string name;
  std::vector<double> watts;
};

constexpr std::size_t drawn_parts = 7;

/// Parts in the order of the file, which is that of their joules, from the bottom to the top.
std::vector<PowerBand> power_bands(const CsvTable& power, const nlohmann::ordered_json& parts) {
  std::vector<PowerBand> bands;
  std::vector<double> left(power.rows(), 0);
  for (std::size_t row = 0; row < power.rows(); ++row) left[row] = power.number(row, "chip_w");
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, joules] : parts.items()) {
    order.emplace_back(joules.value("events_j", 0.0) + joules.value("always_j", 0.0), name);
  }
  std::ranges::stable_sort(order, std::ranges::greater{}, &std::pair<double, std::string>::first);
  order.resize(std::min(order.size(), drawn_parts));
  for (const auto& [joules, name] : order) {
    if (joules <= 0) continue;
    PowerBand band{name, {}};
    for (std::size_t row = 0; row < power.rows(); ++row) {
      band.watts.push_back(power.number(row, name + "_w"));
      left[row] = std::max(0.0, left[row] - band.watts.back());
    }
    bands.push_back(std::move(band));
  }
  bands.push_back({"the rest", left});
  return bands;
}

/// Means of as many values as share a column.
std::vector<double> columns_of(const std::vector<double>& values, std::size_t columns) {
  std::vector<double> means(columns, 0);
  std::vector<int> counts(columns, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t column = i * columns / values.size();
    means[column] += values[i];
    ++counts[column];
  }
  for (std::size_t column = 0; column < columns; ++column) means[column] /= std::max(1, counts[column]);
  return means;
}

std::string power_chart(const RunFiles& files, std::vector<PowerBand> bands, double width) {
  const bool narrow = is_narrow(width);
  const PlotArea area{narrow ? 52.0 : 64.0, 30, width - 8, narrow ? 200.0 : 260.0};
  const std::size_t bins = std::min<std::size_t>(files.power.rows(), narrow ? 60 : 120);
  std::vector<double> sums(bins, 0);
  for (PowerBand& band : bands) {
    band.watts = columns_of(band.watts, bins);
    for (std::size_t bin = 0; bin < bins; ++bin) sums[bin] += band.watts[bin];
  }
  const double most = bins > 0 ? std::ranges::max(sums) : 0, step_ms = files.step_s() * 1e3;
  const ChartAxis x{"ms of the step", ChartScale::linear(0, step_ms, area.left, area.right),
                    [](double value) { return fmt::format("{:.4g}", value + 0.0); }, narrow ? 4 : 8};
  const ChartAxis y{"W of a chip", ChartScale::linear(0, most * 1.05, area.bottom, area.top),
                    [](double value) { return fmt::format("{:.4g}", value + 0.0); }, narrow ? 4 : 6};
  std::string body = svg_axes(area, x, y);
  std::string layers;
  const auto place = [&](std::size_t edge) { return x.scale.place(step_ms * double(edge) / double(bins)); };
  // From the sum of all bands down to the lowest one, each over what is above it.
  std::vector<double> top = sums;
  for (std::size_t band = bands.size(); band-- > 0;) {
    std::vector<SvgPoint> outline{{place(0), area.bottom}};
    for (std::size_t bin = 0; bin < bins; ++bin) {
      outline.push_back({place(bin), y.scale.place(top[bin])});
      outline.push_back({place(bin + 1), y.scale.place(top[bin])});
      top[bin] -= bands[band].watts[bin];
    }
    outline.push_back({place(bins), area.bottom});
    layers += svg_path(outline, category_fill(int(band)));
  }
  body += fmt::format("<g class=\"stack\">{}</g>", layers);
  std::string tips;
  const std::size_t together = 2;
  for (std::size_t bin = 0; bin < bins; bin += together) {
    const std::size_t end = std::min(bins, bin + together);
    std::string text = fmt::format("{:.4g} ms: {:.1f} W", step_ms * double(bin) / double(bins), sums[bin]);
    for (const PowerBand& band : bands) text += fmt::format("\n{} {:.1f} W", band.name, band.watts[bin]);
    tips += svg_rect(place(bin), area.top, place(end) - place(bin), area.height(), "hit", tip_attribute(text));
  }
  return svg_chart(width, area.bottom + 44, "Power of a chip over the step", body + tips);
}

std::string energy_parts_table(const nlohmann::ordered_json& energy) {
  const auto& area = energy.at("area_mm2");
  const double all = energy.value("step_j", 0.0), watts = energy.value("chip_w", 0.0);
  HtmlTable table{
      .id = "energy-table",
      .caption = "Joules of a step by part, of all chips, and what the part takes of the die",
      .columns =
          {{"part"}, {"events", true}, {"always", true}, {"of all", true}, {"W a chip", true}, {"mm²", true}, {""}},
      .sortable = true};
  double largest = 0;
  for (const auto& [name, joules] : energy.at("parts").items()) {
    largest = std::max(largest, joules.value("events_j", 0.0) + joules.value("always_j", 0.0));
  }
  for (const auto& [name, joules] : energy.at("parts").items()) {
    const double events = joules.value("events_j", 0.0), always = joules.value("always_j", 0.0);
    if (events + always <= 0) continue;
    const double share = all > 0 ? (events + always) / all : 0, mm2 = area.value(name, 0.0);
    table.rows.push_back({text_cell(name), number_cell(events, si_text(events, "J")),
                          number_cell(always, si_text(always, "J")), number_cell(share, base::text::percent(share)),
                          number_cell(share * watts, fmt::format("{:.1f}", share * watts)),
                          number_cell(mm2, mm2 > 0 ? fmt::format("{:.1f}", mm2) : ""),
                          bar_cell(largest > 0 ? (events + always) / largest : 0)});
  }
  return html_table(table);
}

}  // namespace

std::string energy_html(const RunFiles& files, const CategoryColors& colors) {
  if (!files.stats().contains("energy") || files.power.rows() == 0) return "";
  const auto& energy = files.stats().at("energy");
  const std::vector<PowerBand> bands = power_bands(files.power, energy.at("parts"));
  std::vector<LegendEntry> legend;
  for (std::size_t band = 0; band < bands.size(); ++band) {
    legend.push_back({bands[band].name, category_fill(int(band))});
  }
  const std::string caption = fmt::format(
      "A chip draws {:.1f} W in the mean, {:.1f} W in the op that takes most, {:.1f} W if it does nothing. power.csv "
      "has the curve, the machine's [energy] what is published of it and what is assumed.",
      energy.value("chip_w", 0.0), energy.value("chip_peak_w", 0.0), energy.value("chip_idle_w", 0.0));
  return html_chart(
             responsive_chart([&](double width) { return power_chart(files, bands, width); }) + chart_legend(legend),
             caption) +
         energy_parts_table(energy) + energy_roofline_html(files, colors);
}

}  // namespace podsim::report::html
