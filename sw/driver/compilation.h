// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sw/driver/choices.h"
#include "sw/driver/program.h"
#include "sw/driver/step.h"
#include "sw/ir/transform/forward_part.h"

namespace podsim::sw::driver {

/// What passes work on. The module is that of all cores, if it is partitioned, until the pass "partition".
struct Compilation {
  const Target& target;
  const Choices& choices;
  std::string name;  ///< of the program
  std::optional<NetworkFacts> network;
  std::optional<std::vector<ir::transform::ArgumentKind>> kinds;  ///< of the arguments, if they are known
  /// Forward values that this compilation computes again.
  ir::transform::Rematerialisation policy = ir::transform::Rematerialisation::none;
  std::int64_t repeated_ops = 0;           ///< that run once more
  std::vector<base::Bytes> whole_state{};  ///< of the program before it was partitioned
  ir::Module module;
  Step step;

  const hw::Machine& machine() const { return target.machine; }
};

}  // namespace podsim::sw::driver
