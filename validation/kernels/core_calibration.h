// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/machine.h"

/// The tile level's constants for the cost of code on the core, measured at the bundle level with small programs. They
/// hold for every kernel; costs that differ between kernels are counted as work.
namespace podsim::validation::kernels {

struct DerivedConstant {
  std::string key;  ///< key of the machine file: "tile_level.tile_cycles"
  base::Cycles value;
  std::string method;  ///< the measurement, described in a sentence
};

/// Measures the constants. Each is derived from the cycles of programs, without the cycles in which the core waits for
/// a sync flag or for a slot of the DMA queue:
///
///   tile, transfer   loops over n tiles with i streams in and o out, and nothing to compute: the slope in n is fitted
///                    by tile + transfer * (i + o), by least squares over several i and o
///   vector_loop      software-pipelined vector loops: the cycles extrapolated to n = 0, the mean over several bodies
///   matrix_phase     matrix passes over blocks in VMEM: the cycles beyond MxuTiming's first load, stream and last
///                    result, the mean over several blocks
///   cross_lane_phase loops of cross-lane operations: the cycles extrapolated to n = 0
///
/// Results are rounded to whole cycles. They depend on the machine's other values, but not on its current [tile_level].
std::vector<DerivedConstant> derive_core_constants(const hw::Machine& machine);

/// Returns the constants as the text of workloads/machines/<machine>.core.toml, which a built-in machine includes.
std::string constants_toml(const std::string& machine, const std::vector<DerivedConstant>& constants);

}  // namespace podsim::validation::kernels
