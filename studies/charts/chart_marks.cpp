// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/chart_marks.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "studies/charts/study_display.h"

namespace podsim::studies::charts {
namespace {

constexpr double radius = 4.5, ring_radius = 8.5;
constexpr std::size_t max_marks = 200;

/// One dot for each pixel with points; a dot is wider than a pixel.
std::string dots(const std::vector<PlottedPoint>& points, std::string_view css_class) {
  std::set<std::pair<long, long>> drawn;
  std::string path;
  for (const PlottedPoint& placed : points) {
    const auto [pixel, is_new] = drawn.emplace(std::lround(placed.at.x), std::lround(placed.at.y));
    if (is_new) path += fmt::format("M{} {}h0", pixel->first, pixel->second);
  }
  return fmt::format("<path class=\"dots {}\" d=\"{}\"/>", css_class, path);
}

std::string tip_of(const store::StudyResults& results, std::size_t point,
                   const std::vector<store::Variable>& variables) {
  std::string text = point_name(results, point);
  for (const store::Variable& variable : variables) {
    if (variable.kind == store::Variable::Kind::axis) continue;
    const VariableDisplay display = display_of(results, variable);
    text += fmt::format("\n{} {}", display.name, value_text(results, results.points[point], variable, display));
  }
  return text;
}

}  // namespace

std::string point_marks(const store::StudyResults& results, const std::vector<PlottedPoint>& points,
                        std::string_view css_class, MarkKind kind, const std::vector<store::Variable>& variables) {
  if (points.size() > max_marks) return dots(points, fmt::format("line{}", css_class.substr(css_class.find('-'))));
  std::string text;
  for (const PlottedPoint& placed : points) {
    if (kind == MarkKind::plain) {
      text += report::html::svg_circle(placed.at.x, placed.at.y, radius, fmt::format("mark {}", css_class));
      continue;
    }
    text +=
        report::html::svg_circle(placed.at.x, placed.at.y, radius, fmt::format("mark pick {}", css_class),
                                 fmt::format(" data-point=\"{}\"{}", placed.point,
                                             report::html::tip_attribute(tip_of(results, placed.point, variables))));
  }
  return text;
}

std::string reference_ring(const report::html::SvgPoint& at) {
  return report::html::svg_circle(at.x, at.y, ring_radius, "ring");
}

std::string axis_text(const store::ResultValue& value) { return value.text.empty() ? "not set" : value.text; }

std::string point_name(const store::StudyResults& results, std::size_t point) {
  std::string text;
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    if (results.axes[axis].values.size() < 2) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", results.axes[axis].name,
                        axis_text(results.points[point].axes[axis]));
  }
  return text.empty() ? "the only point" : text;
}

}  // namespace podsim::studies::charts
