// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "base/units.h"
#include "hw/bundle/vector/vector_register.h"
#include "hw/isa/opcode.h"

namespace podsim::hw::bundle::results {

/// When a unit can accept a push or a pop.
struct Readiness {
  enum class Kind {
    at,       ///< in `cycle`, which is not before the cycle passed in
    never,    ///< only after the core does something else, given by `why`
    illegal,  ///< not at all; `why` names the mistake
  };
  Kind kind = Kind::at;
  base::Cycles cycle;
  const char* why = "";
  static Readiness from(base::Cycles cycle) { return {Kind::at, cycle, ""}; }
  static Readiness never(const char* why) { return {Kind::never, {}, why}; }
  static Readiness illegal(const char* why) { return {Kind::illegal, {}, why}; }
};

/// Interface of a unit with FIFOs: the core pushes operands and pops results in order. Only its core uses it, in
/// program order. Therefore calls are blocking and carry the cycle of the core clock in which they happen. It may be
/// ahead of simulated time, but never before an earlier call. The ready_to_* functions do not change what the unit
/// does. A unit may advance its state to the cycle that it returned, since the core does not use it before then.
class ResultUnit : public virtual sc_core::sc_interface {
 public:
  /// Returns the first cycle, not before `now`, in which a push of this opcode is accepted.
  virtual Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) = 0;
  /// Pushes, in a cycle in which it is accepted. `x` is null in runs without data and for mxu_latch. `amount` is the
  /// scalar operand y, `index` the vector operand of x_permute_lanes.
  virtual void push(isa::Opcode opcode, base::Cycles now, const vector::VectorRegister* x, std::int32_t amount,
                    const vector::VectorRegister* index) = 0;
  /// Returns the first cycle, not before `now`, in which the oldest result can be popped; `illegal` if there is no
  /// result in flight.
  virtual Readiness ready_to_pop(base::Cycles now) = 0;
  /// Pops, in a cycle in which that is possible. `result` is null in runs without data.
  virtual void pop(base::Cycles now, vector::VectorRegister* result) = 0;
  /// Shows the changes up to `now` in the trace, each at its cycle and in the order of time. Called with growing
  /// cycles, after all pushes and pops of cycle `now`. A sink needs the changes of all modules in the order of time.
  /// Therefore, in runs with a trace, the core calls this cycle by cycle, and in each cycle unit by unit.
  virtual void show_until(base::Cycles now) = 0;
  /// Number of cycles before `now` in which the unit worked: LHS rows entered a matrix unit's array, or operations
  /// entered another unit.
  virtual base::Cycles busy(base::Cycles now) = 0;
};

}  // namespace podsim::hw::bundle::results
