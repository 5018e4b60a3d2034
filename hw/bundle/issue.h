// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/units.h"
#include "hw/bundle/vector/row_set.h"

namespace podsim::hw::bundle {

/// A vector load or store of a bundle.
struct VectorAccess {
  vector::RowSet rows;
  std::int64_t cycles = 0;  ///< cycles that the access holds the banks; 0: no access
};

/// The bundle that the sequencer is about to issue, and its state.
struct Issue {
  std::uint32_t address = 0;
  base::Cycles now;             ///< the cycle in which it waits or issues
  std::uint32_t performed = 0;  ///< bit i: the predicate of operation i is true, so it is performed
  VectorAccess load, store;

  bool performs(std::size_t operation) const { return (performed >> operation & 1) != 0; }
  bool accesses_vmem() const { return load.cycles + store.cycles > 0; }
  /// Cycles that the bundle holds the banks: the maximum over its load and its store, which have separate ports.
  std::int64_t bank_cycles() const { return std::max(load.cycles, store.cycles); }
};

}  // namespace podsim::hw::bundle
