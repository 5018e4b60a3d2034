// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/scale_moves.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/weights/moves.h"

namespace podsim::hlo::weights {
namespace {

using Sizes = std::vector<std::int64_t>;

Instruction with_sizes(Instruction move, const Shape& scales, Sizes sizes) {
  move.sharding = nullptr;
  move.shape = make_shape(scales.element_type, std::move(sizes));
  return move;
}

Instruction reshape_to(const Instruction& move, const Shape& scales, Sizes sizes) {
  Instruction reshape;
  reshape.opcode = Opcode::reshape;
  reshape.operands = {move.operands[0]};
  reshape.op_name = move.op_name;
  reshape.source = move.source;
  return with_sizes(std::move(reshape), scales, std::move(sizes));
}

std::optional<Instruction> reshaped(const Instruction& move, const Shape& value, const Shape& scales) {
  if (value.element_count() == 0) return std::nullopt;
  Sizes sizes(std::size_t(move.shape.rank()), 1);
  for (const ReshapedRun& run : reshaped_runs(value.dimensions, move.shape.dimensions)) {
    bool shares = true, has_all = true;
    for (int d = run.from; d < run.from_end; ++d) {
      shares = shares && scales.dimensions[std::size_t(d)] == 1;
      has_all = has_all && scales.dimensions[std::size_t(d)] == value.dimensions[std::size_t(d)];
    }
    if (shares) continue;
    if (!has_all) return std::nullopt;
    for (int d = run.to; d < run.to_end; ++d) sizes[std::size_t(d)] = move.shape.dimensions[std::size_t(d)];
  }
  return reshape_to(move, scales, std::move(sizes));
}

std::optional<Instruction> gathered(const Instruction& move, const Shape& scales) {
  const std::vector<bool> indexed = indexed_dimensions(move, scales.rank());
  const std::vector<int> along = gathered_dimensions(move, scales.rank());
  bool varies = false;
  for (int d = 0; d < scales.rank(); ++d)
    varies = varies || (indexed[std::size_t(d)] && scales.dimensions[std::size_t(d)] > 1);
  Sizes sizes(along.size(), 1);
  for (std::size_t d = 0; d < along.size(); ++d) {
    if (along[d] >= 0) sizes[d] = std::min(scales.dimensions[std::size_t(along[d])], move.shape.dimensions[d]);
  }
  if (!varies) return reshape_to(move, scales, std::move(sizes));
  if (!move.gather->operand_batching.empty()) return std::nullopt;
  // An index along a dimension of one element is clamped to it.
  Instruction gather = move;
  for (int d = 0; d < scales.rank(); ++d) {
    std::int64_t& size = gather.slice_sizes[std::size_t(d)];
    size = std::min(size, scales.dimensions[std::size_t(d)]);
  }
  for (std::size_t d = 0; d < along.size(); ++d) {
    if (along[d] < 0) sizes[d] = move.shape.dimensions[d];
  }
  return with_sizes(std::move(gather), scales, std::move(sizes));
}

}  // namespace

std::optional<Instruction> moved_scales(const Instruction& move, const Shape& value, const Shape& scales) {
  switch (move.opcode) {
    case Opcode::transpose: {
      Sizes sizes;
      for (const std::int64_t d : move.dimensions) sizes.push_back(scales.dimensions[std::size_t(d)]);
      return with_sizes(move, scales, std::move(sizes));
    }
    case Opcode::reshape:
      return reshaped(move, value, scales);
    case Opcode::broadcast: {
      Sizes sizes(std::size_t(move.shape.rank()), 1);
      for (std::size_t d = 0; d < move.dimensions.size(); ++d) {
        sizes[std::size_t(move.dimensions[d])] = scales.dimensions[d];
      }
      if (!std::ranges::is_sorted(move.dimensions)) return std::nullopt;
      return reshape_to(move, scales, std::move(sizes));
    }
    case Opcode::slice: {
      Instruction slice = move;
      Sizes sizes;
      for (std::size_t d = 0; d < slice.slice.size(); ++d) {
        if (scales.dimensions[d] == 1) slice.slice[d] = {.start = 0, .limit = 1, .stride = 1};
        sizes.push_back(scales.dimensions[d] == 1 ? 1 : move.shape.dimensions[d]);
      }
      return with_sizes(std::move(slice), scales, std::move(sizes));
    }
    case Opcode::dynamic_slice: {
      Instruction slice = move;  // a start along a dimension of one element is clamped to it
      Sizes sizes;
      for (std::size_t d = 0; d < slice.slice_sizes.size(); ++d) {
        slice.slice_sizes[d] = std::min(slice.slice_sizes[d], scales.dimensions[d]);
        sizes.push_back(slice.slice_sizes[d]);
      }
      return with_sizes(std::move(slice), scales, std::move(sizes));
    }
    case Opcode::reverse:
    case Opcode::copy:
      return with_sizes(move, scales, scales.dimensions);
    case Opcode::gather:
      return gathered(move, scales);
    default:
      return std::nullopt;
  }
}

}  // namespace podsim::hlo::weights
