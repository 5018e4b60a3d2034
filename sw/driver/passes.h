// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sw/driver/compilation.h"

/// The passes of a compilation, in the order in which they run. Nothing else calls them.
namespace podsim::sw::driver {

struct Pass {
  std::string_view name;  ///< "combine_collectives"
  std::string_view what;  ///< what it does, a few words
  void (*run)(Compilation& compilation);
  /// Whether it runs; null: it always does.
  bool (*wanted)(const Compilation& compilation) = nullptr;
};

/// Passes over the program of all cores: annotations, the part that is compiled, sharded updates.
std::span<const Pass> whole_passes();
/// Passes that lead to the program of one core: what layers compute again, the partitioner.
std::span<const Pass> partition_passes();
/// Passes over the program of one core: layouts, combined collectives, fusions. A scheduled module has been through
/// them.
std::span<const Pass> fusion_passes();
/// Passes over the fused program for its memory: order and recomputation.
std::span<const Pass> memory_passes();
/// Passes that make ops and collectives of the fused program.
std::span<const Pass> lowering_passes();

/// Names of all passes, in order.
std::vector<std::string_view> pass_names();

}  // namespace podsim::sw::driver
