// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/instruction_error.h"

#include <fmt/format.h>

#include <stdexcept>

namespace podsim::hlo::rules {

void at_instruction(const std::string& name, const std::string& done, const std::function<void()>& body) {
  try {
    body();
  } catch (const std::logic_error& error) {
    throw InstructionError(name, fmt::format("{} cannot be {}: {}", name, done, error.what()));
  }
}

}  // namespace podsim::hlo::rules
