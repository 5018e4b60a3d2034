// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/diagnostic.h"

namespace podsim::hlo::rules {

/// An error of the input at one instruction of a graph. It has no location: whoever knows the text of the graph finds
/// the instruction by its name.
class InstructionError : public base::InputError {
 public:
  InstructionError(std::string instruction, const std::string& message, const std::string& hint = "")
      : InputError(message, hint), instruction_(std::move(instruction)) {}
  const std::string& instruction() const { return instruction_; }

 private:
  std::string instruction_;
};

/// Runs `body`, which works on one instruction. A std::logic_error that leaves it, a broken rule that nothing has
/// checked before, becomes an InstructionError "NAME cannot be DONE: ...".
void at_instruction(const std::string& name, const std::string& done, const std::function<void()>& body);

}  // namespace podsim::hlo::rules
