// SPDX-License-Identifier: Apache-2.0
#include "hlo/permuted_slices.h"

#include <stdexcept>

namespace podsim::hlo {

bool is_in_place(const Instruction& permute) {
  return permute.opcode == Opcode::collective_permute && !permute.slice_sizes.empty();
}

std::vector<PermutedSlice> permuted_slices(const Instruction& permute, const Shape& input) {
  std::vector<PermutedSlice> slices;
  std::size_t next = 0;
  while (next < permute.slice_sizes.size()) {
    const std::size_t array = input.is_tuple() ? slices.size() : 0;
    if (input.is_tuple() && array >= input.tuple_shapes.size()) throw std::logic_error("has more slices than arrays");
    const Shape& of = input.is_tuple() ? input.tuple_shapes[array] : input;
    const std::size_t rank = of.dimensions.size();
    if (of.is_tuple() || rank == 0 || next + rank > permute.slice_sizes.size()) {
      throw std::logic_error("slices another number of dimensions than its input has");
    }
    PermutedSlice& slice = slices.emplace_back();
    slice.array = array;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t size = permute.slice_sizes[next++];
      if (size < 0 || size > of.dimensions[d]) throw std::logic_error("slices beyond its input");
      slice.sizes.push_back(size);
    }
  }
  return slices;
}

}  // namespace podsim::hlo
