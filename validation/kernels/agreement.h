// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "hw/machine.h"
#include "sw/codegen/families/kernel.h"
#include "sw/target_machine.h"
#include "validation/kernels/compiled_run.h"

/// Compares the tile level with the bundle level: the same kernels, in the same tiles, timed by both; and as ops of a
/// program, whose tiles the compiler chose.
namespace podsim::validation::kernels {

/// A kernel, given by its family and the parameters that differ from their presets.
struct KernelChoice {
  std::string family;
  std::map<std::string, std::string> values;
};
/// Throws std::logic_error if there is no such family or parameter.
sw::codegen::families::Kernel build_kernel(const sw::TargetMachine& machine, const KernelChoice& choice);

struct LevelComparison {
  std::string kernel;
  base::Cycles bundle, tile;
  base::Bytes moved;  ///< between HBM and VMEM, by bundles
  CompiledRun run;
  double bundle_joules = 0, tile_joules = 0;  ///< of events
  /// Relative error of the tile level, in cycles and in joules.
  double error() const { return double(tile.value()) / double(bundle.value()) - 1; }
  double energy_error() const { return bundle_joules > 0 ? tile_joules / bundle_joules - 1 : 0; }
  /// Relative difference of the ops of a program; std::nullopt if there are none.
  std::optional<double> run_difference() const {
    if (run.ops == 0) return std::nullopt;
    return double(run.cycles.value()) / double(bundle.value()) - 1;
  }
};

/// Kernels of every family over sizes from one tile to tens of megabytes, bound by every unit.
std::vector<KernelChoice> agreement_grid();

/// Times every kernel at both levels; the bundle level runs without data. Calls `done` with each comparison.
std::vector<LevelComparison> compare_levels(const sw::TargetMachine& machine, const std::vector<KernelChoice>& kernels,
                                            const std::function<void(const LevelComparison&)>& done);

struct Agreement {
  double median = 0, worst = 0;  ///< median and maximum of |error|
};
Agreement agreement_of(const std::vector<LevelComparison>& comparisons);

}  // namespace podsim::validation::kernels
