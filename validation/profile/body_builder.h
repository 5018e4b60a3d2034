// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/graph.h"

namespace podsim::validation::profile {

/// Builds the body of a fusion of which only the work is known: element types need not agree, and equal instructions
/// are not merged.
class BodyBuilder {
 public:
  hlo::InstructionId parameter(const hlo::Shape& shape);
  hlo::InstructionId add(hlo::Instruction instruction);
  /// Appends `count` element-wise operations on arrays of `shape` to `value`. The first ones read `others`, of which
  /// there are at most `count`.
  hlo::InstructionId elementwise(hlo::InstructionId value, const hlo::Shape& shape, std::int64_t count,
                                 const std::vector<hlo::InstructionId>& others = {});
  /// A part of an array of `bytes`, but at least one element of its slowest dimension.
  hlo::InstructionId slice(hlo::InstructionId value, base::Bytes bytes);
  /// Broadcasts a smaller array to `shape`, whose dimensions it matches by size; returns it unchanged if they do not
  /// match. With Layout::free, for an array that exists only in VMEM, the layout keeps the value's lanes.
  enum class Layout { given, free };
  hlo::InstructionId broadcast(hlo::InstructionId value, const hlo::Shape& shape, Layout layout = Layout::given);
  /// Sums `value` over the dimensions that `result` lacks or has one element of.
  hlo::InstructionId reduce(hlo::InstructionId value, const hlo::Shape& result);
  const hlo::Shape& shape(hlo::InstructionId id) const { return body_[id].shape; }

  /// Returns a module with a fusion of this body. Its root is a tuple of `results`, or the only one of them.
  hlo::Module fusion(const std::vector<hlo::InstructionId>& results) &&;
  /// Returns a module with the last instruction added as root, without a fusion.
  hlo::Module bare() &&;

 private:
  hlo::ComputationId combiner();

  hlo::Computation body_;
  std::vector<hlo::Computation> called_;
};

/// Returns the dimension of `whole` for each dimension of `part`, in order, matched by size; empty if one has no match.
std::vector<std::int64_t> matched_dimensions(const hlo::Shape& part, const hlo::Shape& whole);

/// True if a sum of `whole` may be `part`: all its dimensions of more than one element are those of `whole`.
bool is_sum_of(const hlo::Shape& part, const hlo::Shape& whole);

}  // namespace podsim::validation::profile
