// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hlo/op_table.h"
#include "hlo/transform/gradient/backward.h"

namespace podsim::hlo::transform::gradient {

/// The rule for the gradient of an opcode, or why it has none. Requires an opcode other than `unknown`.
const OpAnswer<Rule*>& gradient_answer(Opcode opcode);

/// Why the start, update and done of an operation have no gradient.
inline constexpr std::string_view asynchronous =
    "it is one part of an asynchronous operation; differentiate a program before it is scheduled";

}  // namespace podsim::hlo::transform::gradient
