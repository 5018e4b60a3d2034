// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// Writes the body of a fusion whose meaning is not known, only its work: types need not agree and nothing is shared.
class BodyBuilder {
 public:
  InstructionId parameter(const Shape& shape);
  InstructionId add(Instruction instruction);
  /// `value` after `count` element-wise operations on arrays of `shape`; the first ones read `others`, at most as many
  /// as there are operations.
  InstructionId elementwise(InstructionId value, const Shape& shape, std::int64_t count,
                            const std::vector<InstructionId>& others = {});
  /// As much of an array as `bytes`, at least one element of its slowest dimension.
  InstructionId slice(InstructionId value, base::Bytes bytes);
  /// A smaller array beside `shape`, whose dimensions of the same sizes it has; itself when that cannot be. An array
  /// that is only in VMEM has whatever layout keeps the value's lanes.
  enum class Layout { given, free };
  InstructionId broadcast(InstructionId value, const Shape& shape, Layout layout = Layout::given);
  /// Sums of `value` over the dimensions that `result` lacks.
  InstructionId reduce(InstructionId value, const Shape& result);
  const Shape& shape(InstructionId id) const { return body_[id].shape; }

  /// The module with a fusion of this body, whose root is `results` as a tuple, or the only one of them.
  Module fusion(const std::vector<InstructionId>& results) &&;
  /// The module with the instruction itself as the root; it has been added last.
  Module bare() &&;

 private:
  ComputationId combiner();

  Computation body_;
  std::vector<Computation> called_;
};

/// Dimension numbers of `whole` that the dimensions of `part` stand for, in their order, matched by size; empty when
/// there is one that none is left for.
std::vector<std::int64_t> matched_dimensions(const Shape& part, const Shape& whole);

}  // namespace podsim::sw
