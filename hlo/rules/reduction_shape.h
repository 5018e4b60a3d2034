// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/rules/shape_rules.h"

/// Shape rules of instructions that combine or compare elements by a computation of scalars.
namespace podsim::hlo::rules {

/// Operands: n arrays of the same dimensions, then n initial values. The combiner takes 2n scalars and returns n.
Shape infer_reduce(const Instruction& instruction, OperandShapes operands, Computations computations);
/// Operands and combiner as for infer_reduce.
Shape infer_reduce_window(const Instruction& instruction, OperandShapes operands, Computations computations);
Shape infer_select_and_scatter(const Instruction& instruction, OperandShapes operands, Computations computations);
/// Operands: n arrays of the same dimensions. The comparator takes two elements of each array in turn.
Shape infer_sort(const Instruction& instruction, OperandShapes operands, Computations computations);
/// The result is a tuple of values and their indices.
Shape infer_topk(const Instruction& instruction, OperandShapes operands);
Shape infer_map(const Instruction& instruction, OperandShapes operands, Computations computations);

/// Requires a computation that combines pairs of scalars: its parameters have `types` twice, its result (a tuple if
/// there are several) `types` once.
void require_combiner(const Computation& computation, const std::vector<ElementType>& types);

}  // namespace podsim::hlo::rules
