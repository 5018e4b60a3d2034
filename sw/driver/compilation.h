// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hlo/transform/forward_part.h"
#include "sw/driver/choices.h"
#include "sw/driver/program.h"
#include "sw/driver/step.h"
#include "sw/target_machine.h"

namespace podsim::sw::driver {

/// What passes work on. The module is that of all cores, if it is partitioned, until the pass "partition".
struct Compilation {
  const Target& target;
  const Choices& choices;
  std::string name;  ///< of the program
  std::optional<NetworkFacts> network;
  std::optional<std::vector<std::int64_t>> parameters{};           ///< of a text (Program::parameters)
  std::optional<std::vector<hlo::transform::ArgumentKind>> kinds;  ///< of the arguments, if they are known
  /// Forward values that this compilation computes again.
  hlo::transform::Rematerialisation policy = hlo::transform::Rematerialisation::none;
  std::int64_t repeated_ops = 0;           ///< that run once more
  std::vector<base::Bytes> whole_state{};  ///< of the program before it was partitioned
  hlo::Module module;
  Step step;

  const TargetMachine& machine() const { return target.machine; }
  /// Upper bound of the bytes of combined collectives.
  base::Bytes combine_all_reduce() const {
    return choices.compiler.combine_all_reduce.value_or(machine().passes.combine_all_reduce);
  }
};

}  // namespace podsim::sw::driver
