// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "hw/tile_op.h"

namespace podsim::hw::timing {

/// Duration of vector work in cycles of the core clock. A software-pipelined loop fills the slots of every bundle, so
/// the slot with the most work decides, and the depth of the loop is paid once:
///
///   duration = max(loads / load slots, stores / store slots, alu_ops / ALUs, transcendentals * interval) + vector_loop
///
/// Quotients are rounded up; no work takes no time. Slots per bundle are published (two vector ALUs, one load, one
/// store). The transcendental interval is an assumption of the machine file, and tile_level.vector_loop_cycles is
/// measured on bundle programs. Work that a compiler's schedule does not overlap is added by the tile compiler.
class VectorTiming {
 public:
  explicit VectorTiming(const Machine& machine) : vector_(machine.vector), loop_(machine.tile_level.vector_loop) {}
  base::Cycles duration(const VectorWork& work) const;

 private:
  VectorParameters vector_;
  base::Cycles loop_;
};

}  // namespace podsim::hw::timing
