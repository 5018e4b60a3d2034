// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "base/units.h"
#include "hw/bundle/vector_register.h"
#include "hw/isa/opcode.h"

namespace podsim::hw {

/// When a unit can take or give a register.
struct Readiness {
  enum class Kind {
    at,       ///< at `cycle`, which is not before the one asked for
    never,    ///< not unless the core does something else first: `why`
    illegal,  ///< not at all: `why` names the mistake
  };
  Kind kind = Kind::at;
  base::Cycles cycle;
  const char* why = "";
  static Readiness from(base::Cycles cycle) { return {Kind::at, cycle, ""}; }
  static Readiness never(const char* why) { return {Kind::never, {}, why}; }
  static Readiness illegal(const char* why) { return {Kind::illegal, {}, why}; }
};

/// A unit behind FIFOs: the core pushes operands and pops results in order. Only its core uses it, in program order, so
/// calls are blocking with annotated cycles of the core clock: a call says when it happens, which may be ahead of
/// simulated time but never before an earlier call. Readiness does not change what the unit does; but a unit may
/// advance itself to the cycle it answered, as the core does nothing before then.
class ResultUnit : public virtual sc_core::sc_interface {
 public:
  /// The first cycle from `now` on in which a push of this kind is accepted.
  virtual Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) = 0;
  /// In a cycle in which it is accepted. `x` is null in runs without data and for mxu_latch; `amount` is the scalar
  /// operand y, `index` the vector operand of x_permute_lanes.
  virtual void push(isa::Opcode opcode, base::Cycles now, const VectorRegister* x, std::int32_t amount,
                    const VectorRegister* index) = 0;
  /// The first cycle from `now` on in which the oldest result can be popped; illegal if nothing is on its way.
  virtual Readiness ready_to_pop(base::Cycles now) = 0;
  /// In a cycle in which it can be. `result` is null in runs without data.
  virtual void pop(base::Cycles now, VectorRegister* result) = 0;
  /// Shows the changes up to `now` in the trace, each at its own cycle and in the order of time. Called after what the
  /// core does to the unit in cycle `now`, with growing cycles. A sink takes the changes of all modules in the order of
  /// time, so while someone looks the core goes from cycle to cycle, and in each of them from unit to unit.
  virtual void show_until(base::Cycles now) = 0;
  /// Cycles up to `now` in which the unit worked: LHS rows entering a matrix unit's array, operations entering another.
  virtual base::Cycles busy(base::Cycles now) = 0;
};

}  // namespace podsim::hw
