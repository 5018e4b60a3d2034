// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/rules/shape_rules.h"

/// Shape rules of functions on whole arrays.
namespace podsim::hlo::rules {

/// The last two dimensions are square matrices.
Shape infer_cholesky(OperandShapes operands);
Shape infer_triangular_solve(const Instruction& instruction, OperandShapes operands);
Shape infer_fft(const Instruction& instruction, OperandShapes operands);
/// batch-norm-training, -inference and -grad: vectors have one element per feature.
Shape infer_batch_norm(const Instruction& instruction, OperandShapes operands);

}  // namespace podsim::hlo::rules
