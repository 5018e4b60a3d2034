// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sw/compiler/program.h"
#include "sw/runtime/program_cursor.h"

namespace podsim::sw::runtime {

/// A simulated core, and how far it is in the program.
struct SimulatedCore {
  /// `number` is that of the core in the slice.
  SimulatedCore(const compiler::Program& program, std::size_t its_index, std::int32_t number)
      : index(its_index), cursor(program, number) {}
  bool is_first() const { return index == 0; }

  std::size_t index;  ///< among the simulated cores, chip by chip
  ProgramCursor cursor;
  int observer = -1;      ///< its number among the observed cores; -1: it is not observed
  bool finished = false;  ///< it requests no more commands
  int begun = 0;          ///< steps that it has begun
  bool late = false;      ///< it waits before a step (noc::Faults::delay)
};

}  // namespace podsim::sw::runtime
