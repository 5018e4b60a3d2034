// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "hlo/graph.h"

namespace podsim::hlo::transform::gradient {

/// An instruction on the path from a value to the loss has no rule.
class NoGradient : public std::logic_error {
 public:
  /// `why` follows "has no gradient:", as in "it counts bits".
  NoGradient(const Instruction& instruction, std::string_view why);
  const std::string& instruction() const { return name_; }

 private:
  std::string name_;
};

}  // namespace podsim::hlo::transform::gradient
