// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/dynamic_slice.h"

#include <algorithm>

#include "hlo/eval/element.h"
#include "hlo/eval/index_space.h"

namespace podsim::hlo::eval {

namespace {

using Index = std::vector<std::int64_t>;

/// Offset of a slice of these sizes, moved back inside the operand if it would reach beyond.
std::int64_t slice_base(const Index& dimensions, const Index& sizes, const Index& strides,
                        std::span<const Literal* const> starts) {
  const bool vector = starts.size() == 1 && starts[0]->shape.rank() == 1;
  std::int64_t base = 0;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Literal& start = *starts[vector ? 0 : i];
    const ElementType type = start.shape.element_type;
    const std::int64_t written = integer_of(type, element_of(start, vector ? std::int64_t(i) : 0));
    const std::int64_t most = dimensions[i] - sizes[i];
    const bool beyond = type == ElementType::u64 && written < 0;
    base += (beyond ? most : std::clamp<std::int64_t>(written, 0, most)) * strides[i];
  }
  return base;
}

}  // namespace

Literal evaluate_dynamic_slice(const Instruction& instruction, std::span<const Literal* const> operands) {
  const Index& dimensions = operands[0]->shape.dimensions;
  const Index strides = row_major_strides(dimensions);
  const std::int64_t base = slice_base(dimensions, instruction.slice_sizes, strides, operands.subspan(1));
  return gather_affine(instruction.shape, *operands[0], base, strides);
}

Literal evaluate_dynamic_update_slice(const Instruction& instruction, std::span<const Literal* const> operands) {
  Literal result = *operands[0];
  result.shape = instruction.shape;
  const Index strides = row_major_strides(result.shape.dimensions);
  const Index& sizes = operands[1]->shape.dimensions;
  scatter_affine(result, *operands[1], slice_base(result.shape.dimensions, sizes, strides, operands.subspan(2)),
                 strides);
  return result;
}

}  // namespace podsim::hlo::eval
