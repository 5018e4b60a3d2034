// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/machine.h"

/// The tile level's constants that stand for code of the core, measured on the bundle level by small programs. They
/// hold for every kernel: what differs from kernel to kernel is work, and is counted.
namespace podsim::sw {

struct DerivedConstant {
  std::string key;  ///< of the machine file: "tile_level.tile_cycles"
  base::Cycles value;
  std::string method;  ///< how it was measured, in a sentence
};

/// Each program's cycles, in which the core neither waits for a sync flag nor for the queue of the DMA:
///
///   tile, transfer   loops over n tiles with i streams in and o out, and nothing to compute: the slope in n is fitted
///                    by tile + transfer * (i + o), by least squares over several i and o
///   vector_loop      software-pipelined vector loops: what is left at n = 0, the mean over several bodies
///   matrix_phase     matrix passes over blocks in VMEM: what they take beyond MxuTiming's first load, stream and last
///                    result, the mean over several blocks
///   cross_lane_phase loops of cross-lane operations: what is left at n = 0
///
/// Rounded to whole cycles. Depends on the machine's other values, not on its present [tile_level].
std::vector<DerivedConstant> derive_core_constants(const hw::Machine& machine);

/// The constants as the file that a built-in machine has them from, workloads/machines/<machine>.core.toml.
std::string constants_toml(const std::string& machine, const std::vector<DerivedConstant>& constants);

}  // namespace podsim::sw
