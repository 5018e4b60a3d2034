// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hw/bundle/instruction_memory.h"
#include "hw/bundle/result_unit.h"

namespace podsim::hw {

/// Words for what a program did wrong: "bundle 17 (copy.pasm:23), cycle 41: ...".
class HazardText {
 public:
  explicit HazardText(const InstructionMemory& instructions) : instructions_(instructions) {}

  /// The bundle that stood in the core when it happened, and what happened.
  std::string at(std::uint32_t address, base::Cycles cycle, const std::string& what) const;
  /// An operation uses a register too early.
  std::string not_ready(std::uint32_t address, base::Cycles now, const Operation& operation, int entry,
                        const Scoreboard& scoreboard) const;
  /// A unit that refuses for good.
  std::string refused(std::uint32_t address, const Operation& operation, const Readiness& readiness) const;
  /// "'v.add.f32 v3, v1, v2'"
  std::string quoted(std::uint32_t address, const Operation& operation) const;

  /// "1 cycle", "2 cycles"
  static std::string cycles(base::Cycles count);
  /// "matrix unit 0", "cross-lane unit", "transcendental unit".
  static std::string unit(int number);

 private:
  std::string writer(std::uint32_t address, int entry, base::Cycles ready) const;

  const InstructionMemory& instructions_;
};

}  // namespace podsim::hw
