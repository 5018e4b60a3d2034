// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "hw/machine.h"
#include "sw/kernels/fifo_state.h"
#include "sw/kernels/operation.h"
#include "sw/kernels/register_set.h"

namespace podsim::sw {

/// Numbers of virtual registers that are not used yet, by class.
class RegisterSource {
 public:
  explicit RegisterSource(const std::array<int, register_classes>& next) : next_(next) {}
  Register make(RegisterClass cls) { return {cls, next_[std::size_t(cls)]++}; }

 private:
  std::array<int, register_classes> next_;
};

/// A loop whose iterations may overlap.
struct PipelinedLoop {
  Operand trips;
  std::vector<int> independent_buffers;
};

/// Straight-line code that is scheduled as one: what stands between loops, the body of an innermost loop, or of a
/// pipelined one.
struct Region {
  std::vector<Operation> operations;
  /// The region at which the loop begins that ends here, with the s_loop as the last operation; or none.
  int target = -1;
  std::optional<PipelinedLoop> loop;  ///< the operations are its body, without a branch
  FifoState fifos;                    ///< where it begins
  RegisterSet live_in;                ///< needed where it begins
  RegisterSet live_out;               ///< needed where it ends; of a loop: after its last iteration
  RegisterSet live_around;            ///< of a loop: needed where an iteration ends, by others or afterwards
};

/// Cuts recorded code into regions in the order of the program. Loops get counters, DMAs the fences that they need:
/// one in front of a DMA if vectors were stored since the last one. Bodies that cannot be overlapped (they have loops,
/// synchronisation or conditional FIFO operations) become plain loops.
std::vector<Region> divide_into_regions(const RecordedCode& code, RegisterSource& registers);

}  // namespace podsim::sw
