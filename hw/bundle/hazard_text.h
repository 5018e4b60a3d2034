// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hw/bundle/instruction_memory.h"
#include "hw/bundle/results/result_unit.h"

namespace podsim::hw::bundle {

/// Error messages for mistakes of a program: "bundle 17 (copy.pasm:23), cycle 41: ...".
class HazardText {
 public:
  explicit HazardText(const InstructionMemory& instructions) : instructions_(instructions) {}

  /// The bundle and the cycle, such as "bundle 3 (add.pasm:4), cycle 17".
  std::string at(std::uint32_t address, base::Cycles cycle) const;
  /// Prefixes `what` with the bundle and the cycle in which it happened.
  std::string at(std::uint32_t address, base::Cycles cycle, const std::string& what) const;
  /// Message for an operation that uses a register too early.
  std::string not_ready(std::uint32_t address, base::Cycles now, const vector::Operation& operation, int entry,
                        const vector::Scoreboard& scoreboard) const;
  /// Message for a push or pop that its unit can never accept.
  std::string refused(std::uint32_t address, const vector::Operation& operation,
                      const results::Readiness& readiness) const;
  /// "'v.add.f32 v3, v1, v2'"
  std::string quoted(std::uint32_t address, const vector::Operation& operation) const;

  /// "1 cycle", "2 cycles"
  static std::string cycles(base::Cycles count);
  /// "matrix unit 0", "cross-lane unit", "transcendental unit", "path to the scalar unit".
  static std::string unit(int number);

 private:
  std::string writer(std::uint32_t address, int entry, base::Cycles ready) const;

  const InstructionMemory& instructions_;
};

}  // namespace podsim::hw::bundle
