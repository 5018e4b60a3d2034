// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/next_tokens.h"

#include <numeric>

namespace podsim::workloads::layers {

using hlo::ElementType;
using hlo::InstructionId;
using hlo::build::GraphBuilder;
using Sizes = std::vector<std::int64_t>;

InstructionId most_probable(GraphBuilder& b, InstructionId x) {
  const Sizes sizes = b.shape(x).dimensions;
  const std::int64_t last = std::int64_t(sizes.size()) - 1;
  Sizes rows(std::size_t(last), 0);
  std::iota(rows.begin(), rows.end(), 0);
  const InstructionId highest = b.broadcast(b.reduce_max(x, {last}), sizes, rows);
  const InstructionId numbers = b.iota(hlo::make_shape(ElementType::s32, sizes), last);
  const InstructionId candidates = b.select(b.compare(x, highest, hlo::ComparisonDirection::eq), numbers,
                                            b.full_like(numbers, double(sizes.back())));
  const InstructionId none = b.constant(ElementType::s32, double(sizes.back()));
  return b.reduce(candidates, none, {last}, b.combiner(hlo::Opcode::minimum, ElementType::s32));
}

}  // namespace podsim::workloads::layers
