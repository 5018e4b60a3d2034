// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/units.h"
#include "hw/machine.h"
#include "sw/kernels/kernel.h"

/// The tile level against the bundle level: the same kernels, cut into the same tiles, timed by both.
namespace podsim::sw {

/// A kernel by its family and those of its parameters that differ from their presets.
struct KernelChoice {
  std::string family;
  std::map<std::string, std::string> values;
};
/// std::logic_error when there is no such family or parameter.
Kernel build_kernel(const hw::Machine& machine, const KernelChoice& choice);

struct LevelComparison {
  std::string kernel;
  base::Cycles bundle, tile;
  /// Of the tile level.
  double error() const { return double(tile.value()) / double(bundle.value()) - 1; }
};

/// Kernels of every family over sizes from one tile to tens of megabytes, bound by every unit.
std::vector<KernelChoice> agreement_grid();

/// Times every kernel at both levels, the bundle level without data. `done` is called after each.
std::vector<LevelComparison> compare_levels(const hw::Machine& machine, const std::vector<KernelChoice>& kernels,
                                            const std::function<void(std::size_t)>& done);

struct Agreement {
  double median = 0, worst = 0;  ///< of |error|
};
Agreement agreement_of(const std::vector<LevelComparison>& comparisons);

}  // namespace podsim::sw
