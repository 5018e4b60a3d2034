// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "studies/store/study_results.h"

/// Analysis of a study's points: the best points, the Pareto front, and the effect of each axis on a metric.
namespace podsim::studies::charts {

/// The objectives of the study's report. If it has none, the study's first metric, with a direction by its name: times,
/// cycles and bytes are minimised, anything else is maximised. Empty only if the study has no metric.
std::vector<store::Objective> report_objectives(const store::StudyResults& results);

/// Objectives of the Pareto chart: those of report_objectives(). If that is only one, a second one follows: the least
/// of the charts' x, where x is a numeric axis or a derived value, such as a link rate; else the study's first other
/// metric. Fewer than two if there is neither.
std::vector<store::Objective> front_objectives(const store::StudyResults& results);

/// The point that ratios are relative to: the study's baseline if it was done, else the first done point. std::nullopt
/// if no point was done.
std::optional<std::size_t> reference_point(const store::StudyResults& results);

/// The point that may be the best (StudyResults::may_be_best) with the best value of one objective, the first of
/// equals; std::nullopt if no such point has the metric.
std::optional<std::size_t> best_point(const store::StudyResults& results, const store::Objective& objective);

/// The Pareto front: points that may be the best and that no other one dominates by being as good in every objective
/// and better in one. Points that lack a metric are left out; points with equal metrics are all included. Sorted best
/// first by the first objective, with ties by the next ones and then by position. Empty without objectives.
std::vector<std::size_t> pareto_front(const store::StudyResults& results,
                                      const std::vector<store::Objective>& objectives);

/// The axes in groups that move together, without those of a single value.
std::vector<std::vector<std::size_t>> moving_groups(const store::StudyResults& results);

/// The effect of one axis alone on a metric: both points equal the reference in every other axis.
struct Swing {
  std::vector<std::size_t> axes;  ///< axes that move together, usually one
  /// Points at the axis's least and greatest value. A non-numeric axis has no order; for it, the points with the least
  /// and greatest metric. Either may be the reference itself, if the axis ends there. Empty when only the reference is
  /// left.
  std::optional<std::size_t> least, greatest;
  double min_value = 0, greatest_value = 0;  ///< metric at these points
  bool missing() const { return !least; }
};

/// A swing for every axis with more than one value, or group of axes that move together, widest first, missing ones
/// last. All are missing if the reference lacks the metric. `reference` and `metric` are indices into the points and
/// metrics.
std::vector<Swing> sensitivity(const store::StudyResults& results, std::size_t reference, std::size_t metric);

}  // namespace podsim::studies::charts
