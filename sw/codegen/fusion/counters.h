// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "sw/codegen/fusion/located.h"
#include "sw/codegen/fusion/unit_code.h"

namespace podsim::sw::codegen::fusion {

/// Scalar registers that follow a loop over the units of a space in the order of memory: the coordinates of the unit's
/// first register. Coordinates that no code reads take no registers, unless one further out needs their carry.
class Counters {
 public:
  /// `read` are dimensions of the space. With `continued`, every loop goes on where the one before ended: the
  /// coordinates are kept in SMEM.
  Counters(builder::KernelBuilder& builder, const Space& space, const Unit& unit, const std::set<int>& read,
           bool continued);
  /// For a loop over the coordinates of some dimensions alone, register by register.
  Counters(builder::KernelBuilder& builder, const Space& space, const std::set<int>& dimensions);

  /// Writes the code before a loop, and returns the registers that hold the position of its units.
  Position begin();
  /// Writes the code at the end of an iteration.
  void advance() const;
  /// Writes the code behind a loop.
  void end() const;

 private:
  /// One coordinate, or several neighbours that no code reads.
  struct Counter {
    std::int64_t trips = 1, step = 1;
    bool is_read = false;
    registers::ScalarReg at = {};
  };

  void add(int position, std::int64_t tiles, std::int64_t step, bool is_read);

  builder::KernelBuilder& builder_;
  Position first_;                 ///< of literals, for coordinates that do not change or are not read
  std::vector<Counter> counters_;  ///< innermost first
  std::vector<int> position_of_;   ///< by counter: 0 lane tiles, 1 row tiles, 2 + i plane i; -1 if it is not read
  std::int64_t around_ = 1;        ///< trips of coordinates around all counters
  bool continued_ = false;
  std::int32_t kept_ = 0;  ///< SMEM address of the coordinates
};

}  // namespace podsim::sw::codegen::fusion
