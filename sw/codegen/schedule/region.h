// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "hw/machine.h"
#include "sw/codegen/registers/operation.h"
#include "sw/codegen/registers/register_set.h"
#include "sw/codegen/schedule/fifo_state.h"

namespace podsim::sw::codegen::schedule {

/// Source of unused virtual registers, by class.
class RegisterSource {
 public:
  explicit RegisterSource(const std::array<int, registers::register_classes>& next) : next_(next) {}
  registers::Register make(registers::RegisterClass cls) { return {cls, next_[std::size_t(cls)]++}; }

 private:
  std::array<int, registers::register_classes> next_;
};

/// A loop with iterations that may overlap.
struct PipelinedLoop {
  registers::Operand trips;
  std::vector<int> independent_buffers;
};

/// Straight-line code that is scheduled as a unit: the code between loops, the body of an innermost loop, or that of a
/// pipelined loop.
struct Region {
  std::vector<registers::Operation> operations;
  /// If a plain loop ends with this region: the region at which it begins. The last operation is the s_loop.
  int target = -1;
  std::optional<PipelinedLoop> loop;   ///< if present, the operations are the loop's body, without a branch
  FifoState fifos;                     ///< state at the beginning
  registers::RegisterSet live_in;      ///< registers live at the beginning
  registers::RegisterSet live_out;     ///< registers live at the end; for a loop, after its last iteration
  registers::RegisterSet live_around;  ///< for a loop: registers live at the end of an iteration
};

/// Divides recorded code into regions, in program order. Adds counters to loops, and a fence before each DMA if vectors
/// were stored since the last fence. Pipelined loops that cannot be overlapped (because they contain loops,
/// synchronisation or conditional FIFO operations) become plain loops.
std::vector<Region> divide_into_regions(const registers::RecordedCode& code, RegisterSource& registers);

}  // namespace podsim::sw::codegen::schedule
