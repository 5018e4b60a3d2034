// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/bundle/vector/literal_lanes.h"
#include "hw/bundle/vector/scoreboard.h"
#include "hw/isa/bundle.h"
#include "hw/machine.h"

namespace podsim::hw::bundle::vector {

/// The part of the core that performs an operation. The order of the enumerators is the order in which a bundle's
/// operations are performed, except where data dependences require another.
enum class Executor : std::uint8_t { transcendental, push, load, store, vector, pop, misc, scalar };

/// A register number and literal 0, or register 0 and a literal. The value of a scalar operand is s[reg] + literal,
/// since s0 reads as zero. For vector, mask and predicate operands only the number is used.
struct DecodedOperand {
  std::uint8_t reg = 0;
  std::int32_t literal = 0;
};

/// An operation decoded for execution: its reads and writes are computed once, not in every cycle.
struct Operation {
  isa::Opcode opcode = isa::Opcode::halt;
  Executor executor = Executor::misc;
  isa::Slot slot = isa::Slot::misc;
  std::uint8_t predicate = 0;
  bool negated = false;
  std::uint8_t destination = 0, mask = 0;
  std::uint8_t unit = 0;                      ///< result unit of pushes, transcendental operations and pops
  bool uses_state = false;                    ///< uses memory, sync flags or DMA, not only registers and units
  bool deferred = false;                      ///< the result is buffered until the whole bundle has read
  std::uint8_t write = register_entry::none;  ///< scoreboard entry of the register written
  std::uint8_t reads = 0;                     ///< number of registers read, except the predicate
  std::array<std::uint8_t, 5> read{};         ///< scoreboard entries of the registers read
  DecodedOperand x, y, z;
  base::Cycles latency;
  const VectorRegister* y_lanes = nullptr;  ///< a literal vector operand, in runs with data

  /// Takes a result out of a unit.
  bool pops() const { return executor == Executor::pop || opcode == isa::Opcode::s_pop; }
};

/// A bundle decoded for execution. Its operations are in an order in which none writes a register that a later one
/// reads (except deferred ones), loads come before stores, and misc and scalar operations come last.
struct DecodedBundle {
  bool loaded = false;   ///< false: no bundle is loaded at this address
  bool waits = false;    ///< an operation may have to wait for a unit or for memory
  bool outside = false;  ///< an operation acts on DMA or sync flags
  bool deferred = false;
  std::vector<Operation> operations;
};

/// Decodes a legal bundle. `literals` is null in runs without data.
DecodedBundle decode_bundle(const Machine& machine, const isa::Bundle& bundle, LiteralLanes* literals);

}  // namespace podsim::hw::bundle::vector
