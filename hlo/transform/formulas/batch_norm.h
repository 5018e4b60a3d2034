// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hlo/build/graph_builder.h"

namespace podsim::hlo::transform::formulas {

/// The type in which a batch norm on arrays of a type computes: f64 for f64, else f32.
ElementType batch_norm_type(ElementType type);

/// Appends a batch norm as elementwise operations and sums, as XLA's expander writes it. The operands are in
/// batch_norm_type(). Training: mean = sum x / n and variance = sum x^2 / n - mean^2, at least 0; returns the
/// normalised values, mean and variance. Inference: returns the normalised values. Gradient: sum dy and sum dy (x -
/// mean) / sqrt(variance + epsilon) over n; returns the gradients of x, scale and offset. All are in batch_norm_type().
///
/// `count` is n, the number of elements of a feature. `sum` adds an array over all dimensions but the feature.
std::vector<InstructionId> write_batch_norm(build::GraphBuilder& builder, const Instruction& instruction,
                                            std::span<const InstructionId> operands, std::int64_t count,
                                            const std::function<InstructionId(InstructionId)>& sum);

}  // namespace podsim::hlo::transform::formulas
