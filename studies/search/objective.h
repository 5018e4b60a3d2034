// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "studies/plan/metrics.h"

namespace podsim::studies::search {

/// A bound of a metric that the best step keeps to.
struct MetricLimit {
  const plan::StudyMetric* metric = nullptr;
  double limit = 0;
  bool at_most = true;  ///< else at least
};

/// What a search looks for among runs.
struct Objective {
  const plan::StudyMetric* metric = nullptr;  ///< null: samples per second, or the step time if a step has no samples
  bool maximise = false;                      ///< of `metric`
  std::vector<MetricLimit> limits;
};

/// The value of a run, the greater the better: the metric, its negative if it is to be small. std::nullopt if the run
/// does not have it or breaks a limit.
std::optional<double> value_of(const Objective& objective, const nlohmann::ordered_json& figures);

/// How many times better a value is than another one; 1 if either is 0.
double ratio(double value, double to);
/// Whether a value is better than another one by more than a part of it.
bool is_better(double value, double than, double by);

}  // namespace podsim::studies::search
