// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

/// The rectifier max(x, 0). As a maximum its slope at 0 would be 1/2, like that of every maximum of two equal numbers;
/// frameworks give it the slope 0 there. So a maximum or minimum may say that a tie gives the whole gradient to the
/// second operand (tie_to_second in attribute_text.h).
namespace podsim::hlo::transform {

/// Appends max(x, 0) with slope 0 at 0.
InstructionId relu(build::GraphBuilder& builder, InstructionId x);

/// Marks the maxima and minima with a constant in functions that a framework calls relu or relu6, the names of which
/// are all that its text keeps of their rule for the gradient: computations of one parameter with such a name, which
/// may have a number behind it ("relu_1", "relu.1").
void mark_relus(Module& module);

}  // namespace podsim::hlo::transform
