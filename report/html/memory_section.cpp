// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/percent.h"
#include "report/html/heap_chart.h"
#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"
#include "report/html/svg_chart.h"

namespace podsim::report::html {
namespace {

/// Several positions of the schedule that share a column of the drawing.
struct Stretch {
  std::size_t first = 0, last = 0;
  std::size_t fullest = 0;  ///< position
  double most = 0, least = 0;
};

std::vector<Stretch> stretches(const CsvTable& memory, std::size_t most) {
  const std::size_t rows = memory.rows(), each = std::max<std::size_t>(1, (rows + most - 1) / most);
  std::vector<Stretch> result;
  for (std::size_t row = 0; row < rows; ++row) {
    const double live = memory.number(row, "live_bytes");
    if (row % each == 0) result.push_back({row, row, row, live, live});
    Stretch& stretch = result.back();
    stretch.last = row;
    stretch.least = std::min(stretch.least, live);
    if (live > stretch.most) {
      stretch.most = live;
      stretch.fullest = row;
    }
  }
  return result;
}

std::string name_at(const CsvTable& memory, std::size_t row) {
  const std::string& op_name = memory.text(row, "op_name");
  return op_name.empty() ? memory.text(row, "instruction") : op_name;
}

std::string chart(const RunFiles& files, double width) {
  const CsvTable& memory = files.memory;
  const auto& figures = files.stats().at("memory");
  const double peak = figures.value("peak_bytes_per_core", 0.0),
               capacity = figures.value("capacity_bytes_per_core", 0.0);
  const double arguments = figures.value("argument_bytes_per_core", 0.0);
  const bool narrow = is_narrow(width);
  const PlotArea area{narrow ? 52.0 : 64.0, 30, width - 8, narrow ? 200.0 : 260.0};
  // The capacity is drawn if it is near the peak.
  const double top = capacity < 2 * peak ? std::max(capacity, peak) * 1.02 : peak * 1.15;
  const ChartAxis x{"position in the schedule",
                    ChartScale::linear(0, std::max(1.0, double(memory.rows()) - 1), area.left, area.right),
                    [](double value) { return count_text(std::int64_t(value)); }, narrow ? 4 : 8};
  const ChartAxis y{"live bytes of a core", ChartScale::linear(0, top, area.bottom, area.top),
                    [](double value) { return si_text(value, "B", 3); }, narrow ? 4 : 6};
  std::string body = svg_axes(area, x, y);
  std::vector<SvgPoint> line;
  std::string tips;
  const std::vector<Stretch> columns = stretches(memory, narrow ? 150 : 400);
  const double wide = area.width() / double(std::max<std::size_t>(1, columns.size()));
  for (const Stretch& column : columns) {
    for (const double live : {column.least, column.most}) {
      line.push_back({x.scale.place(double(column.fullest)), y.scale.place(live)});
    }
  }
  std::vector<SvgPoint> outline{{area.left, area.bottom}};
  outline.insert(outline.end(), line.begin(), line.end());
  outline.push_back({area.right, area.bottom});
  body += fmt::format("<g class=\"area\">{}</g>", svg_path(outline, "accent-area")) + svg_path(line, "accent");
  const double kept = y.scale.place(arguments), most = y.scale.place(peak);
  body += svg_line(area.left, kept, area.right, kept, "hint") +
          svg_text(area.right, kept + 16 < area.bottom ? kept + 13 : kept - 12, "arguments " + si_text(arguments, "B"),
                   TextAnchor::end);
  if (capacity < 2 * peak) {
    body += svg_line(area.left, y.scale.place(capacity), area.right, y.scale.place(capacity), "guide") +
            svg_text(area.right, y.scale.place(capacity) - 5, "capacity " + si_text(capacity, "B"), TextAnchor::end,
                     "strong");
  }
  const double at = x.scale.place(figures.value("peak_position", 0.0));
  const bool right = at > (area.left + area.right) / 2;
  body +=
      svg_circle(at, most, 4, "accent-dot") + svg_text(at + (right ? -9 : 9), most - 6, "peak " + si_text(peak, "B"),
                                                       right ? TextAnchor::end : TextAnchor::start, "strong");
  // A few columns share a tooltip, so that they need not be hit exactly.
  const std::size_t together = std::max<std::size_t>(1, columns.size() / (narrow ? 40 : 100));
  for (std::size_t i = 0; i < columns.size(); i += together) {
    const std::size_t end = std::min(columns.size(), i + together);
    const auto fullest = std::max_element(columns.begin() + std::ptrdiff_t(i), columns.begin() + std::ptrdiff_t(end),
                                          [](const Stretch& a, const Stretch& b) { return a.most < b.most; });
    tips += svg_rect(area.left + wide * double(i), area.top, wide * double(end - i), area.height(), "hit",
                     tip_attribute(fmt::format("{}\nposition {}: {}", name_at(memory, fullest->fullest),
                                               fullest->fullest, si_text(fullest->most, "B"))));
  }
  return svg_chart(width, area.bottom + 44, "Memory over the schedule", body + tips);
}

std::string largest_buffers(const RunFiles& files) {
  const auto& figures = files.stats().at("memory");
  const double peak = figures.value("peak_bytes_per_core", 0.0);
  HtmlTable table{.id = "buffers-table",
                  .caption = "The largest buffers at the peak",
                  .columns = {{"where it comes from"}, {"buffer"}, {"bytes", true}, {"of the peak", true}, {""}},
                  .sortable = true};
  double largest = 0;
  for (const auto& buffer : figures.value("largest_at_peak", nlohmann::ordered_json::array())) {
    const double bytes = buffer.value("bytes", 0.0);
    largest = std::max(largest, bytes);
    const double share = peak > 0 ? bytes / peak : 0;
    table.rows.push_back({text_cell(buffer.value("op_name", "")), code_cell(buffer.value("name", "")),
                          number_cell(bytes, si_text(bytes, "B")), number_cell(share, base::text::percent(share)),
                          bar_cell(largest > 0 ? bytes / largest : 0)});
  }
  return table.rows.empty() ? "" : html_table(table);
}

std::string padded_arrays(const RunFiles& files) {
  const auto& figures = files.stats().at("memory");
  const double peak = figures.value("peak_bytes_per_core", 0.0), padding = figures.value("padding_bytes_at_peak", 0.0);
  HtmlTable table{
      .id = "padding-table",
      .caption = fmt::format("Padding at the peak: {} of {}. The shapes that are padded most", si_text(padding, "B"),
                             si_text(peak, "B")),
      .columns =
          {{"shape and layout"}, {"arrays", true}, {"stored", true}, {"elements", true}, {"padding", true}, {""}},
      .sortable = true};
  double most = 0;
  for (const auto& padded : figures.value("padded_at_peak", nlohmann::ordered_json::array())) {
    const double bytes = padded.value("bytes", 0.0), elements = padded.value("element_bytes", 0.0);
    const std::int64_t arrays = padded.value("arrays", std::int64_t(0));
    most = std::max(most, bytes - elements);
    table.rows.push_back({code_cell(padded.value("shape", "")), number_cell(double(arrays), count_text(arrays)),
                          number_cell(bytes, si_text(bytes, "B")), number_cell(elements, si_text(elements, "B")),
                          number_cell(bytes - elements, si_text(bytes - elements, "B")),
                          bar_cell(most > 0 ? (bytes - elements) / most : 0)});
  }
  return table.rows.empty() ? "" : html_table(table);
}

}  // namespace

std::string memory_html(const RunFiles& files) {
  if (files.memory.rows() == 0) return "";
  const auto position = files.stats().at("memory").value("peak_position", std::size_t(0));
  std::string caption = "Every array from the op that defines it to its last use, as padded and laid out; ";
  if (position < files.memory.rows()) {
    caption += fmt::format("the peak is at <code>{}</code>, position {} of {}.",
                           html_escaped(name_at(files.memory, position)), position, files.memory.rows());
  }
  return html_chart(responsive_chart([&](double width) { return chart(files, width); }), caption) +
         heap_chart_html(files.memory, files.stats().at("memory").value("heap_bytes_per_core", 0.0)) +
         largest_buffers(files) + padded_arrays(files);
}

}  // namespace podsim::report::html
