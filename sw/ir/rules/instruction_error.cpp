// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/rules/instruction_error.h"

#include <fmt/format.h>

#include <stdexcept>

namespace podsim::sw::ir::rules {

void at_instruction(const std::string& name, const std::string& done, const std::function<void()>& body) {
  try {
    body();
  } catch (const std::logic_error& error) {
    throw InstructionError(name, fmt::format("{} cannot be {}: {}", name, done, error.what()));
  }
}

}  // namespace podsim::sw::ir::rules
