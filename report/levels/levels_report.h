// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "validation/kernels/step_levels.h"

namespace podsim::report::levels {

/// The ops of a step at the levels of the model.
struct LevelsReport {
  std::string program, machine;
  std::vector<validation::kernels::OpLevels> ops = {};
  double wall_s = 0;  ///< host time

  double step_cycles() const;
  /// Shares of the cycles of all ops in those with code that does not differ from the evaluator, in those whose code
  /// equals the evaluator, in those whose time in the step is within 3 % of the bundles, and in those whose tiles are.
  double with_code() const;
  double verified() const;
  double close_in_step() const;
  double close_at_equal_tiles() const;
  /// Ops whose code differs from the evaluator.
  int differing() const;
};

/// Totals, and a row per op, the longest first.
std::string levels_text(const LevelsReport& report);
std::string levels_json(const LevelsReport& report);
/// A row per op with all counts.
std::string levels_csv(const LevelsReport& report);

}  // namespace podsim::report::levels
