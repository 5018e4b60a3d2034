// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo {

/// Instruction::target of a maximum or minimum whose gradient on a tie is that of its second operand alone, as of a
/// framework's relu; without it each operand has half. In text: frontend_attributes={tie_gradient="second"}.
inline constexpr std::string_view tie_to_second = "second";
/// Instruction::target of a copy whose gradient is zero, as of a framework's stop_gradient or detach; without it the
/// operand has that of the result. In text: frontend_attributes={gradient="none"}.
inline constexpr std::string_view stopped_gradient = "none";
/// That of a copy of what a function with a rule of its own computes, where the text has lost the rule; a gradient is
/// refused. In text: frontend_attributes={gradient="custom"}.
inline constexpr std::string_view lost_gradient = "custom";
/// Instruction::target of a triangular-solve that also conjugates its complex matrix; otherwise empty.
inline constexpr std::string_view adjoint = "ADJOINT";

/// Returns the attributes of an instruction in the form of HLO text, "name=value".
std::vector<std::string> attribute_texts(const Instruction& instruction, const Module& module);

}  // namespace podsim::hlo
