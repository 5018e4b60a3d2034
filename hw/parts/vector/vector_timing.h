// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "hw/parts/vector/vector_parameters.h"
#include "hw/parts/vector/vector_work.h"

namespace podsim::hw::parts::vector {

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
  /// `loop` is tile_level.vector_loop_cycles.
  VectorTiming(const Parameters& unit, base::Cycles loop) : vector_(unit), loop_(loop) {}
  base::Cycles duration(const Work& work) const;
  /// By state (Unit::states), of instance 0.
  std::array<base::Cycles, 1> parts(const Work& work, std::int64_t) const { return {duration(work)}; }

 private:
  Parameters vector_;
  base::Cycles loop_;
};

}  // namespace podsim::hw::parts::vector
