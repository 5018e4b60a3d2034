// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/reshard/tile_rows.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "hlo/array_tile.h"

namespace podsim::hlo::spmd::reshard {
namespace {

/// The digits of an array as dimensions of their own.
struct Apart {
  std::vector<std::int64_t> sizes;      ///< in the order of the array's dimensions
  std::vector<std::int64_t> in_memory;  ///< in the order of memory
  std::vector<std::int64_t> order;      ///< of memory: the dimensions of `sizes`
};

Apart apart(std::span<const hlo::PlaceDigit> digits) {
  Apart result;
  std::vector<std::size_t> by_dimension;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i].size > 1) by_dimension.push_back(i);
  }
  std::vector<std::int64_t> number(digits.size(), -1);
  std::ranges::stable_sort(by_dimension, {}, [&](std::size_t i) { return digits[i].dimension; });
  for (const std::size_t i : by_dimension) {
    number[i] = std::int64_t(result.sizes.size());
    result.sizes.push_back(digits[i].size);
  }
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i].size == 1) continue;
    result.in_memory.push_back(digits[i].size);
    result.order.push_back(number[i]);
  }
  return result;
}

/// A reshape to an array of the given layout.
hlo::InstructionId laid_out(LocalProgram& program, hlo::InstructionId array, const std::vector<std::int64_t>& sizes,
                            const std::vector<int>& minor_to_major) {
  hlo::Instruction reshape;
  reshape.opcode = hlo::Opcode::reshape;
  reshape.operands = {array};
  reshape.shape = hlo::make_shape(program.builder().type(array), sizes);
  reshape.shape.minor_to_major = minor_to_major;
  return program.builder().add(std::move(reshape));
}

}  // namespace

hlo::InstructionId as_rows(LocalProgram& program, hlo::InstructionId array, std::span<const hlo::PlaceDigit> digits) {
  build::GraphBuilder& builder = program.builder();
  const std::int64_t rows = builder.shape(array).element_count() / hlo::tile_lanes;
  const Apart parts = apart(digits);
  if (!std::ranges::is_sorted(parts.order)) {
    array = laid_out(program, array, parts.sizes, {parts.order.rbegin(), parts.order.rend()});
    array = builder.transpose(array, parts.order);
  }
  return builder.reshape(array, {rows, hlo::tile_lanes});
}

hlo::InstructionId from_rows(LocalProgram& program, hlo::InstructionId rows, std::span<const hlo::PlaceDigit> digits,
                             const std::vector<std::int64_t>& sizes) {
  const Apart parts = apart(digits);
  if (!std::ranges::is_sorted(parts.order)) {
    std::vector<std::int64_t> back(parts.order.size());
    for (std::size_t i = 0; i < back.size(); ++i) back[std::size_t(parts.order[i])] = std::int64_t(i);
    std::vector<int> as_counted(back.size());
    std::iota(as_counted.rbegin(), as_counted.rend(), 0);
    rows = program.builder().transpose(laid_out(program, rows, parts.in_memory, as_counted), std::move(back));
  }
  return program.builder().reshape(rows, sizes);
}

}  // namespace podsim::hlo::spmd::reshard
