// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "workloads/study/study_results.h"

/// What follows from the points of a study: which are best, which no other beats, and which axis moves a metric most.
namespace podsim::workloads {

/// What the study's report asks for; where it asks for nothing, its first metric, by its name: times, cycles and bytes
/// are to be small, anything else large. Empty only without metrics.
std::vector<Objective> report_objectives(const StudyResults& results);

/// What the front is drawn by: the report's objectives, and where that is only one, also the least of what its charts
/// have along x, such as a link rate, or else the study's first other metric by its name. Less than two when there is
/// neither.
std::vector<Objective> front_objectives(const StudyResults& results);

/// The point that ratios start from: the study's baseline if it was done, else the first that was. None when none was.
std::optional<std::size_t> reference_point(const StudyResults& results);

/// The done point with the best value of one objective, the first of equals; none when no point has the metric.
std::optional<std::size_t> best_point(const StudyResults& results, const Objective& objective);

/// The done points that no other point beats: as good in every objective and better in one. Points that lack one of
/// the metrics are left out, points with equal metrics are all in. By the first objective, the best first, then by
/// position. Empty without objectives.
std::vector<std::size_t> pareto_front(const StudyResults& results, const std::vector<Objective>& objectives);

/// How far one axis alone moves a metric: both points equal the reference in every other axis.
struct Swing {
  std::vector<std::size_t> axes;  ///< that move together, usually one
  /// Points at the axis's least and greatest value. An axis that is no number has no order: the points where the metric
  /// is least and greatest. The reference itself where the axis ends there. None when only the reference is left.
  std::optional<std::size_t> least, greatest;
  double least_value = 0, greatest_value = 0;  ///< the metric there
  bool missing() const { return !least; }
};

/// A swing for every axis with more than one value, the widest first, missing ones last; a metric that the reference
/// lacks gives missing ones only. `reference` and `metric` are indices into the points and metrics.
std::vector<Swing> sensitivity(const StudyResults& results, std::size_t reference, std::size_t metric);

}  // namespace podsim::workloads
