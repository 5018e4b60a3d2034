// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/ir/graph.h"

namespace podsim::sw::profile {

/// Builds the body of a fusion of which only the work is known: element types need not agree, and equal instructions
/// are not merged.
class BodyBuilder {
 public:
  ir::InstructionId parameter(const ir::Shape& shape);
  ir::InstructionId add(ir::Instruction instruction);
  /// Appends `count` element-wise operations on arrays of `shape` to `value`. The first ones read `others`, of which
  /// there are at most `count`.
  ir::InstructionId elementwise(ir::InstructionId value, const ir::Shape& shape, std::int64_t count,
                                const std::vector<ir::InstructionId>& others = {});
  /// A part of an array of `bytes`, but at least one element of its slowest dimension.
  ir::InstructionId slice(ir::InstructionId value, base::Bytes bytes);
  /// Broadcasts a smaller array to `shape`, whose dimensions it matches by size; returns it unchanged if they do not
  /// match. With Layout::free, for an array that exists only in VMEM, the layout keeps the value's lanes.
  enum class Layout { given, free };
  ir::InstructionId broadcast(ir::InstructionId value, const ir::Shape& shape, Layout layout = Layout::given);
  /// Sums `value` over the dimensions that `result` lacks or has one element of.
  ir::InstructionId reduce(ir::InstructionId value, const ir::Shape& result);
  const ir::Shape& shape(ir::InstructionId id) const { return body_[id].shape; }

  /// Returns a module with a fusion of this body. Its root is a tuple of `results`, or the only one of them.
  ir::Module fusion(const std::vector<ir::InstructionId>& results) &&;
  /// Returns a module with the last instruction added as root, without a fusion.
  ir::Module bare() &&;

 private:
  ir::ComputationId combiner();

  ir::Computation body_;
  std::vector<ir::Computation> called_;
};

/// Returns the dimension of `whole` for each dimension of `part`, in order, matched by size; empty if one has no match.
std::vector<std::int64_t> matched_dimensions(const ir::Shape& part, const ir::Shape& whole);

/// True if a sum of `whole` may be `part`: all its dimensions of more than one element are those of `whole`.
bool is_sum_of(const ir::Shape& part, const ir::Shape& whole);

}  // namespace podsim::sw::profile
