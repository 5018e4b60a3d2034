// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/pareto_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "studies/charts/chart_frame.h"
#include "studies/charts/chart_marks.h"
#include "studies/charts/study_analysis.h"
#include "studies/charts/study_display.h"

namespace podsim::studies::charts {
namespace {

struct Place {
  std::size_t point = 0;
  double x = 0, y = 0;
};

std::vector<Place> places_of(const store::StudyResults& results, const store::Variable& x, const store::Variable& y) {
  const VariableDisplay along = display_of(results, x), up = display_of(results, y);
  std::vector<Place> places;
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    if (!results.points[i].done) continue;
    const std::optional<double> at = coordinate_of(results, results.points[i], x, along);
    const std::optional<double> height = coordinate_of(results, results.points[i], y, up);
    if (at && height) places.push_back({i, *at, *height});
  }
  return places;
}

/// The border of what the front dominates, for a front in the order of x: a point of it dominates all that is worse in
/// both, and between two neighbours the corner is at the worse x and the worse y.
std::vector<report::html::SvgPoint> staircase(const std::vector<PlottedPoint>& front, store::Direction along_x) {
  std::vector<report::html::SvgPoint> line;
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (i > 0) {
      const report::html::SvgPoint before = front[i - 1].at, after = front[i].at;
      line.push_back(along_x == store::Direction::minimise ? report::html::SvgPoint{after.x, before.y}
                                                           : report::html::SvgPoint{before.x, after.y});
    }
    line.push_back(front[i].at);
  }
  return line;
}

}  // namespace

std::string pareto_svg(const store::StudyResults& results, const std::vector<store::Objective>& objectives,
                       const std::vector<std::size_t>& front, double width) {
  const store::Variable x = objectives[0].variable, y = objectives[1].variable;
  std::vector<double> xs, ys;
  const std::vector<Place> places = places_of(results, x, y);
  for (const Place& place : places) {
    xs.push_back(place.x);
    ys.push_back(place.y);
  }
  const ChartFrame frame = chart_frame(width, display_of(results, x), display_of(results, y), xs, ys);
  std::vector<PlottedPoint> best, others;
  std::string ring;
  for (const Place& place : places) {
    const PlottedPoint placed{place.point, frame.place(place.x, place.y)};
    const bool in_front = std::ranges::find(front, place.point) != front.end();
    (in_front ? best : others).push_back(placed);
    if (place.point == reference_point(results)) ring = reference_ring(placed.at);
  }
  std::ranges::stable_sort(best, {}, [](const PlottedPoint& placed) { return placed.at.x; });
  const std::string curve = objectives.size() == 2 && best.size() > 1
                                ? report::html::svg_path(staircase(best, objectives[0].direction), "curve line-1")
                                : "";
  return report::html::svg_chart(frame.width, frame.height, "Pareto front",
                                 frame.axes + point_marks(results, others, "fill-0", MarkKind::linked, {x, y}) + curve +
                                     ring + point_marks(results, best, "fill-1", MarkKind::linked, {x, y}));
}

}  // namespace podsim::studies::charts
