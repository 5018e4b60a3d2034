// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/bundle/literal_lanes.h"
#include "hw/bundle/scoreboard.h"
#include "hw/isa/bundle.h"
#include "hw/machine.h"

namespace podsim::hw {

/// Who performs an operation, in the order in which a bundle's operations are performed if nothing speaks against it.
enum class Executor : std::uint8_t { transcendental, push, load, store, vector, pop, misc, scalar };

/// A register's number and zero, or zero and a literal: the value of a scalar operand is s[reg] + literal, as s0 reads
/// as zero. Of vector, mask and predicate operands the number is what counts.
struct DecodedOperand {
  std::uint8_t reg = 0;
  std::int32_t literal = 0;
};

/// An operation as the core performs it: what it reads and writes is worked out once, not in every cycle.
struct Operation {
  isa::Opcode opcode = isa::Opcode::halt;
  Executor executor = Executor::misc;
  isa::Slot slot = isa::Slot::misc;
  std::uint8_t predicate = 0;
  bool negated = false;
  std::uint8_t destination = 0, mask = 0;
  std::uint8_t unit = 0;                      ///< result unit of pushes, transcendental operations and pops
  bool uses_state = false;                    ///< more than registers and units: memory, sync flags or DMA
  bool deferred = false;                      ///< its result is kept apart until the whole bundle has read
  std::uint8_t write = register_entry::none;  ///< scoreboard entry
  std::uint8_t reads = 0;                     ///< how many registers it reads, its predicate apart
  std::array<std::uint8_t, 5> read{};         ///< their scoreboard entries
  DecodedOperand x, y, z;
  base::Cycles latency;
  const VectorRegister* y_lanes = nullptr;  ///< a literal vector operand, in runs with data
};

/// A bundle as the core performs it: its operations in an order in which none writes a register that a later one reads
/// (but for those that are deferred), loads before stores, scalar operations last.
struct DecodedBundle {
  bool loaded = false;   ///< there is a bundle at this address
  bool waits = false;    ///< an operation may have to wait for a unit or for memory
  bool outside = false;  ///< an operation acts on DMA or sync flags
  bool deferred = false;
  std::vector<Operation> operations;
};

/// The bundle must be legal. `literals` is null in runs without data.
DecodedBundle decode_bundle(const Machine& machine, const isa::Bundle& bundle, LiteralLanes* literals);

}  // namespace podsim::hw
