// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/units.h"
#include "hw/bundle/row_set.h"

namespace podsim::hw {

/// A vector load or store of a bundle.
struct VectorAccess {
  RowSet rows;
  std::int64_t cycles = 0;  ///< that it holds the banks; 0: there is none
};

/// The bundle that stands in the sequencer, and what has been found out about it.
struct Issue {
  std::uint32_t address = 0;
  base::Cycles now;             ///< the cycle in which it waits or issues
  std::uint32_t performed = 0;  ///< bit i: operation i is performed, as its predicate holds
  VectorAccess load, store;

  bool performs(std::size_t operation) const { return (performed >> operation & 1) != 0; }
  bool accesses_vmem() const { return load.cycles + store.cycles > 0; }
  /// Load and store each have ports of their own; the bundle holds banks until the last cycle that either needs.
  std::int64_t bank_cycles() const { return std::max(load.cycles, store.cycles); }
};

}  // namespace podsim::hw
