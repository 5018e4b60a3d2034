// SPDX-License-Identifier: Apache-2.0
#include "report/html/heap_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "report/html/html_text.h"
#include "report/html/si_text.h"
#include "report/html/svg_chart.h"

namespace podsim::report::html {
namespace {

/// A page stays small, and smaller arrays would not be seen.
constexpr std::size_t max_drawn = 600;
/// Height of an array with an edge, in pixels of the drawing.
constexpr double min_edged = 4;

/// Removes a number and the characters behind it from the front of `rest`; false if it does not begin so.
bool take(std::string_view& rest, std::string_view behind, std::int64_t& number) {
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return false;
  rest.remove_prefix(std::size_t(end - rest.data()));
  if (!rest.starts_with(behind)) return false;
  rest.remove_prefix(behind.size());
  return true;
}

struct DrawnArray {
  HeapPlace place;
  std::size_t row = 0;
  double area() const { return double(place.bytes) * double(place.last - place.first + 1); }
};

/// Arrays of all rows, those with the largest areas of the chart first.
std::vector<DrawnArray> all_arrays(const CsvTable& memory) {
  std::vector<DrawnArray> arrays;
  if (std::ranges::find(memory.columns(), "places") == memory.columns().end()) return arrays;
  for (std::size_t row = 0; row < memory.rows(); ++row) {
    for (const HeapPlace& place : heap_places(memory.text(row, "places"))) arrays.push_back({place, row});
  }
  std::ranges::stable_sort(arrays, std::ranges::greater{}, &DrawnArray::area);
  return arrays;
}

std::string drawing(const CsvTable& memory, const std::vector<DrawnArray>& arrays, double heap, double width) {
  const bool narrow = is_narrow(width);
  const PlotArea area{narrow ? 52.0 : 64.0, 12, width - 8, narrow ? 260.0 : 420.0};
  const ChartAxis x{"position in the schedule",
                    ChartScale::linear(0, std::max(1.0, double(memory.rows())), area.left, area.right),
                    [](double value) { return count_text(std::int64_t(value)); }, narrow ? 4 : 8};
  const ChartAxis y{"address in the heap of a core", ChartScale::linear(0, heap, area.bottom, area.top),
                    [](double value) { return si_text(value, "B", 3); }, narrow ? 4 : 6};
  std::string body = svg_axes(area, x, y);
  for (const DrawnArray& array : arrays) {
    const HeapPlace& place = array.place;
    const double left = x.scale.place(double(place.first)), right = x.scale.place(double(place.last + 1));
    const double top = y.scale.place(double(place.offset + place.bytes)), bottom = y.scale.place(double(place.offset));
    const bool whole_step = place.first == 0 && place.last + 1 >= memory.rows();
    const std::string& op_name = memory.text(array.row, "op_name");
    const std::string tip = fmt::format(
        "{}\n{} at {}, positions {} to {}", op_name.empty() ? memory.text(array.row, "instruction") : op_name,
        si_text(double(place.bytes), "B"), si_text(double(place.offset), "B"), place.first, place.last);
    // An edge would hide a thin one.
    body += svg_rect(left, top, right - left, bottom - top,
                     fmt::format("{}{}", whole_step ? "fill-0" : "fill-1", bottom - top > min_edged ? " mark" : ""),
                     tip_attribute(tip));
  }
  return svg_chart(width, area.bottom + 44, "Arrays by address and position", body);
}

}  // namespace

std::vector<HeapPlace> heap_places(std::string_view cell) {
  std::vector<HeapPlace> places;
  while (!cell.empty()) {
    std::int64_t offset = 0, bytes = 0, first = 0, last = 0;
    if (!take(cell, "+", offset) || !take(cell, "@", bytes) || !take(cell, "..", first) || !take(cell, "", last)) break;
    if (offset < 0 || bytes < 0 || first < 0 || last < first) break;
    places.push_back({offset, bytes, std::size_t(first), std::size_t(last)});
    if (cell.starts_with(" ")) cell.remove_prefix(1);
  }
  return places;
}

std::string heap_chart_html(const CsvTable& memory, double heap) {
  std::vector<DrawnArray> arrays = all_arrays(memory);
  if (arrays.empty() || heap <= 0) return "";
  const std::size_t left_out = arrays.size() - std::min(arrays.size(), max_drawn);
  arrays.resize(arrays.size() - left_out);
  std::string caption = fmt::format("The heap of {}: where each array is and for how long.", si_text(heap, "B"));
  if (left_out > 0) caption += fmt::format(" Left out: the {} smallest arrays.", count_text(std::int64_t(left_out)));
  return html_chart(responsive_chart([&](double width) { return drawing(memory, arrays, heap, width); }) +
                        chart_legend({{"there all the time, such as parameters", "fill-0"}, {"others", "fill-1"}}),
                    caption);
}

}  // namespace podsim::report::html
