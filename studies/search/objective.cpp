// SPDX-License-Identifier: Apache-2.0
#include "studies/search/objective.h"

#include <algorithm>
#include <cmath>

namespace podsim::studies::search {

std::optional<double> value_of(const Objective& objective, const nlohmann::ordered_json& figures) {
  const auto keeps_to = [&](const MetricLimit& of) {
    const std::optional<double> value = plan::metric_value(*of.metric, figures);
    return value && (of.at_most ? *value <= of.limit : *value >= of.limit);
  };
  if (!std::ranges::all_of(objective.limits, keeps_to)) return std::nullopt;
  if (objective.metric != nullptr) {
    const std::optional<double> value = plan::metric_value(*objective.metric, figures);
    return value ? std::optional(objective.maximise ? *value : -*value) : std::nullopt;
  }
  const double samples = figures.value("samples_per_s", 0.0), step = figures.value("step_time_s", 0.0);
  if (samples > 0) return samples;
  return step > 0 ? std::optional(1 / step) : std::nullopt;
}

double ratio(double value, double to) {
  if (value == 0 || to == 0) return 1;
  return value < 0 ? to / value : value / to;
}

bool is_better(double value, double than, double by) { return value - than > by * std::abs(than); }

}  // namespace podsim::studies::search
