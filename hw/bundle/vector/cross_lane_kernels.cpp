// SPDX-License-Identifier: Apache-2.0
// Part of hw/bundle/vector/kernel_variants.h.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "hw/bundle/vector/kernel_variants.h"
#include "hw/bundle/vector/lane_functions.h"

namespace podsim::hw::bundle::vector {

namespace {

using isa::Opcode;
using lane::Word;

constexpr int sublane_bytes = lanes * int(sizeof(Word));

/// `amount` modulo a power of two, never negative.
int modulo(std::int32_t amount, int size) { return int(std::uint32_t(amount) % std::uint32_t(size)); }

Word* sublane(VectorRegister& r, int s) { return r.words.data() + s * lanes; }
const Word* sublane(const VectorRegister& r, int s) { return r.words.data() + s * lanes; }

void rotate_lanes(VectorRegister& d, const VectorRegister& x, int amount) {
  for (int s = 0; s < sublanes; ++s) {
    std::copy_n(sublane(x, s), lanes - amount, sublane(d, s) + amount);
    std::copy_n(sublane(x, s) + lanes - amount, amount, sublane(d, s));
  }
}

void rotate_sublanes(VectorRegister& d, const VectorRegister& x, int amount) {
  for (int s = 0; s < sublanes; ++s) std::memcpy(sublane(d, (s + amount) % sublanes), sublane(x, s), sublane_bytes);
}

void broadcast_lane(VectorRegister& d, const VectorRegister& x, int from) {
  for (int s = 0; s < sublanes; ++s) std::fill_n(sublane(d, s), lanes, sublane(x, s)[from]);
}

/// Combines value l with value l + half of the 2 * half values in each sublane of `tree`, then halves again until one
/// value is left.
template <Word (*function)(Word, Word), int half>
[[gnu::always_inline]] inline void halve(Word (&tree)[sublanes][lanes]) {
  for (Word(&row)[lanes] : tree) {
#pragma GCC ivdep
    for (int l = 0; l < half; ++l) row[l] = function(row[l], row[l + half]);
  }
  if constexpr (half > 1) halve<function, half / 2>(tree);
}

template <Word (*function)(Word, Word)>
[[gnu::always_inline]] inline void reduce_lanes(VectorRegister& d, const VectorRegister& x) {
  Word tree[sublanes][lanes];
  std::memcpy(tree, x.words.data(), sizeof tree);
  halve<function, lanes / 2>(tree);
  for (int s = 0; s < sublanes; ++s) std::fill_n(sublane(d, s), lanes, tree[s][0]);
}

template <Word (*function)(Word, Word)>
[[gnu::always_inline]] inline void reduce_sublanes(VectorRegister& d, const VectorRegister& x) {
  const Word* a = x.words.data();
  Word* result = d.words.data();
#pragma GCC ivdep
  for (int l = 0; l < lanes; ++l) {
    const Word even = function(function(a[l], a[l + 4 * lanes]), function(a[l + 2 * lanes], a[l + 6 * lanes]));
    const Word odd = function(function(a[l + lanes], a[l + 5 * lanes]), function(a[l + 3 * lanes], a[l + 7 * lanes]));
    result[l] = function(even, odd);
  }
  for (int s = 1; s < sublanes; ++s) std::memcpy(sublane(d, s), sublane(d, 0), sublane_bytes);
}

[[gnu::always_inline]] inline void cross_lane(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x,
                                              std::int32_t amount) {
  switch (opcode) {
    case isa::Opcode::x_rotate_lanes:
      return rotate_lanes(d, x, modulo(amount, lanes));
    case isa::Opcode::x_rotate_sublanes:
      return rotate_sublanes(d, x, modulo(amount, sublanes));
    case isa::Opcode::x_broadcast_lane:
      return broadcast_lane(d, x, modulo(amount, lanes));
    case isa::Opcode::x_sum_lanes:
      return reduce_lanes<lane::add_f32>(d, x);
    case isa::Opcode::x_max_lanes:
      return reduce_lanes<lane::max_f32>(d, x);
    case isa::Opcode::x_min_lanes:
      return reduce_lanes<lane::min_f32>(d, x);
    case isa::Opcode::x_sum_sublanes:
      return reduce_sublanes<lane::add_f32>(d, x);
    case isa::Opcode::x_max_sublanes:
      return reduce_sublanes<lane::max_f32>(d, x);
    case isa::Opcode::x_min_sublanes:
      return reduce_sublanes<lane::min_f32>(d, x);
    default:
      assert(false);
  }
}

void plain(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, std::int32_t amount) {
  cross_lane(opcode, d, x, amount);
}
PODSIM_AVX2 void avx2(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, std::int32_t amount) {
  cross_lane(opcode, d, x, amount);
}
PODSIM_AVX512 void avx512(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, std::int32_t amount) {
  cross_lane(opcode, d, x, amount);
}

}  // namespace

const KernelVariants<decltype(cross_lane_operation)> cross_lane_variants{plain, avx2, avx512};

}  // namespace podsim::hw::bundle::vector
