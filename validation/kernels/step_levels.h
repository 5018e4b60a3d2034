// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "hw/bundle/bundle_run.h"
#include "sw/driver/step.h"
#include "sw/target_machine.h"
#include "validation/kernels/step_ops.h"
#include "validation/kernels/verify.h"

namespace podsim::validation::kernels {

/// One op of a step at the levels of the model, on a core alone.
struct OpLevels {
  StepOp op;
  base::Cycles step = {};                         ///< once, in the step: the compiler's tiles at tile level
  std::string cause = {};                         ///< why it has no code that runs, in a word; empty if it has
  base::Cycles tile = {};                         ///< the kernel's tiles at tile level
  hw::bundle::BundleRunResult bundles = {};       ///< the kernel, bundle by bundle
  std::optional<Verification> verification = {};  ///< of an op of few enough elements
  bool has_bound = true;                          ///< false for results that no error bound is known of

  bool has_code() const { return cause.empty(); }
  bool differs() const { return verification && !verification->passed(); }
  /// False for code with other results: its time says nothing.
  bool has_right_code() const { return has_code() && !differs(); }
  /// Cycles of all its executions, by the level of the step.
  double step_cycles() const { return double(step.value()) * double(op.executions); }
  /// Relative difference of the step's level from the bundles, and of the tile level at equal tiles.
  double step_error() const { return error_of(step); }
  double tile_error() const { return error_of(tile); }
  /// Infinite for code that takes no time.
  double error_of(base::Cycles cycles) const {
    const double reference = double(bundles.cycles.value());
    return reference > 0 ? double(cycles.value()) / reference - 1 : std::numeric_limits<double>::infinity();
  }
};

/// Generates the kernel of an op and times it. Verifies it if its arrays have at most `verified_elements` elements in
/// all; the run of other ops has no data.
OpLevels levels_of(const sw::driver::Step& step, const StepOp& op, const sw::TargetMachine& machine,
                   std::int64_t verified_elements);

}  // namespace podsim::validation::kernels
