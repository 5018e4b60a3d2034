// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/lengths/length_keys.h"
#include "workloads/lengths/length_plan.h"
#include "workloads/lengths/length_steps.h"

/// The output of `podsim run --lengths`: how steps vary with the lengths of their samples.
namespace podsim::workloads::lengths {

/// A step of a shape, simulated.
struct ShapeTime {
  ShapeSteps drawn;
  double step_s = 0;
};

struct LengthsReport {
  std::string workload = {}, machine = {}, slice = {};
  LengthPlan plan = {};
  LengthKeys keys = {};
  double mean_length = 0, left_out = 0;  ///< of the law, see LengthLaw
  std::int64_t batch = 0;                ///< sequences of a step
  std::vector<ShapeTime> shapes = {};    ///< sorted by shape
  double wall_s = 0;                     ///< host time
};

/// Over all steps that were drawn.
struct LengthFigures {
  double mean_s = 0, sd_s = 0;  ///< of the step; the deviation is that of the steps themselves, not of their mean
  double p5_s = 0, p95_s = 0;   ///< the least step time that this share of the steps does not exceed
  double padding = 0;           ///< share of the positions of arrays that have no token of a sample
  double samples_per_s = 0, tokens_per_s = 0;  ///< without padding
};

/// Figures of at least one step.
LengthFigures length_figures(const LengthsReport& report, const std::vector<ShapeTime>& shapes);

std::string lengths_text(const LengthsReport& report);
std::string lengths_json(const LengthsReport& report);

}  // namespace podsim::workloads::lengths
