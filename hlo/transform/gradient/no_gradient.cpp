// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/no_gradient.h"

#include <fmt/format.h>

namespace podsim::hlo::transform::gradient {

NoGradient::NoGradient(const Instruction& instruction, std::string_view why)
    : std::logic_error(fmt::format("{} ({}) has no gradient: {}", instruction.name,
                                   instruction.op_name.empty() ? to_string(instruction.opcode) : instruction.op_name,
                                   why)),
      name_(instruction.name) {}

}  // namespace podsim::hlo::transform::gradient
