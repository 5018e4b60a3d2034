// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"

namespace podsim::workloads::goodput {

/// Share of the time in which a part works that fails once in `between_failures` and is repaired in `repair`.
double availability(base::Duration between_failures, base::Duration repair);

/// Chips of a machine in blocks of hosts, such as the 64 cubes of 4x4x4 chips of a TPU v4. A block works when all of
/// its hosts do, each with the same availability.
struct BlockMachine {
  std::int64_t blocks = 1;
  std::int64_t block_hosts = 1;
  double host_availability = 1;
  double block_availability() const;
};

/// Mean share of the machine in slices of `slice_blocks` blocks that work, if any blocks can be joined, as by optical
/// switches: the mean of floor(working / slice_blocks) slices, by the binomial law.
double share_in_joined_slices(const BlockMachine& machine, std::int64_t slice_blocks);
/// Likewise, if slices have fixed blocks: all blocks of a slice have to work.
double share_in_fixed_slices(const BlockMachine& machine, std::int64_t slice_blocks);

}  // namespace podsim::workloads::goodput
