// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/shape_rules.h"

/// The shape rules of what combines or compares elements by a computation of scalars.
namespace podsim::sw {

/// n arrays of the same dimensions, then n initial values; the combiner takes 2n scalars and gives n.
Shape infer_reduce(const Instruction& instruction, OperandShapes operands, Computations computations);
/// Likewise.
Shape infer_reduce_window(const Instruction& instruction, OperandShapes operands, Computations computations);
Shape infer_select_and_scatter(const Instruction& instruction, OperandShapes operands, Computations computations);
/// n arrays of the same dimensions; the comparator takes two elements of each in turn.
Shape infer_sort(const Instruction& instruction, OperandShapes operands, Computations computations);
/// Values and their indices.
Shape infer_topk(const Instruction& instruction, OperandShapes operands);
Shape infer_map(const Instruction& instruction, OperandShapes operands, Computations computations);

/// A computation that combines pairs of scalars: parameters are `types` twice, the result (a tuple if several) `types`
/// once.
void require_combiner(const Computation& computation, const std::vector<ElementType>& types);

}  // namespace podsim::sw
