// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sw/graph/graph.h"
#include "sw/profile/op_text.h"

/// Ops of a profile as graphs again. A row names opcode, operands and result; of a fusion it leaves out the body, which
/// is rebuilt from what the row's counts leave possible:
///
///   matmul fusion   the contraction that its shapes and FLOPs allow (contraction_search.h); the FLOPs beyond it are
///                   element-wise operations, whole ones per element of lhs, rhs and result, the split that adds up
///                   best; results with fewer dimensions are reductions of the main one; vectors are broadcast
///   loop fusion     as many operations per element of the largest array as the FLOPs say; without operands, random
///                   bits; results with fewer elements than the largest operand are reductions
///   custom fusion   a gather or scatter of rows, whose table, indices and rows follow from the shapes
///
/// What is no fusion is taken as it is written; where its text was cut off before what its cost depends on, it is
/// rebuilt like a fusion. Operands that the op reads only in part, because its bytes are fewer than theirs, are sliced.
namespace podsim::sw {

/// A module whose entry computation has one op as its root, after its parameters.
struct RebuiltOp {
  Module module;
  bool inferred = false;  ///< a fusion's body
};

/// What a profile says of an op beside its text. XLA's counts of one occurrence: without them a fusion is taken to do
/// nothing but move all of its arrays. The category tells kinds of fusions apart where the text does not.
struct OpCounts {
  std::optional<double> flops, bytes;
  std::string category;
};

/// Nothing for an op whose text says too little.
std::optional<RebuiltOp> rebuild(const OpText& text, const OpCounts& counts);

}  // namespace podsim::sw
