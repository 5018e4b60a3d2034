// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "hlo/graph.h"
#include "validation/profile/op_text.h"

/// Rebuilds ops of a profile as graphs. A row gives opcode, operands and result. For a fusion it lacks the body, which
/// is rebuilt to match the row's counts:
///
///   matmul fusion   the contraction that its shapes and FLOPs allow (contraction_search.h). The remaining FLOPs are
///                   element-wise operations, a whole number per element of lhs, rhs and result, split to match the sum
///                   best. Results with fewer dimensions are reductions of the main one; vectors are broadcast.
///   loop fusion     as many operations per element of the largest array as the FLOPs give. Without operands, random
///                   numbers for u32 or pred results. Results smaller than the largest operand are reductions.
///   custom fusion   a gather or scatter of rows, whose table, indices and rows follow from the shapes
///
/// A fusion that contradicts its own counts as rebuilt is rebuilt from the counts (counted_op.h). A custom call of TopK
/// is a sort. An op that is not a fusion is used as written, or rebuilt like a fusion if its text is truncated before
/// something that its cost depends on. If an op has fewer bytes than its arrays, it updates one in place or reads
/// slices of them (accessed_arrays.h).
namespace podsim::validation::profile {

/// A module whose entry computation has one op as its root, after its parameters.
struct RebuiltOp {
  hlo::Module module;
  bool inferred = false;   ///< the op's work was inferred as for a fusion
  bool by_counts = false;  ///< what was inferred contradicts the counts, which are its work instead (counted_op.h)
};

/// The ops of one profile by their lines, kept to be modelled on other machines. Null if the text does not determine
/// it.
using RebuiltOps = std::map<int, std::optional<RebuiltOp>>;

/// Data of a profile about an op in addition to its text: XLA's counts for one occurrence, without which a fusion only
/// moves all of its arrays, and the category, which determines the kind of a fusion if the text does not.
struct OpCounts {
  std::optional<double> flops, bytes;
  std::string category;
};

/// Returns std::nullopt if the text does not determine the op. Throws NotModelled (not_modelled.h) if it does but the
/// op is beyond what can be rebuilt.
std::optional<RebuiltOp> rebuild(const OpText& text, const OpCounts& counts);

}  // namespace podsim::validation::profile
