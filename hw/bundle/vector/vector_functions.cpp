// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/vector_functions.h"

#include <cassert>

#include "hw/bundle/vector/vector_kernels.h"

namespace podsim::hw::bundle::vector {

namespace {
const VectorKernels& fastest() {
  static const VectorKernels& kernels = vector_kernels().back();
  return kernels;
}
}  // namespace

void vector_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, const VectorRegister& y,
                      const MaskRegister& mask) {
  fastest().operation(opcode, d, x, y, mask);
}

void vector_compare(isa::Opcode opcode, MaskRegister& d, const VectorRegister& x, const VectorRegister& y,
                    const MaskRegister& mask) {
  fastest().compare(opcode, d, x, y, mask);
}

void mask_operation(isa::Opcode opcode, MaskRegister& d, const MaskRegister& x, const MaskRegister& y) {
  const auto combine = [&](auto function) {
    for (std::size_t i = 0; i < d.bits.size(); ++i) d.bits[i] = function(x.bits[i], y.bits[i]);
  };
  switch (opcode) {
    case isa::Opcode::m_and:
      return combine([](std::uint64_t a, std::uint64_t b) { return a & b; });
    case isa::Opcode::m_or:
      return combine([](std::uint64_t a, std::uint64_t b) { return a | b; });
    case isa::Opcode::m_xor:
      return combine([](std::uint64_t a, std::uint64_t b) { return a ^ b; });
    case isa::Opcode::m_andn:
      return combine([](std::uint64_t a, std::uint64_t b) { return a & ~b; });
    default:
      assert(false);
  }
}

void fill(VectorRegister& d, std::uint32_t word) { d.words.fill(word); }

void transcendental_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& y) {
  fastest().transcendental(opcode, d, y);
}

void cross_lane_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, std::int32_t amount) {
  fastest().cross_lane(opcode, d, x, amount);
}

void permute_lanes(VectorRegister& d, const VectorRegister& x, const VectorRegister& index) {
  for (int s = 0; s < sublanes; ++s) {
    const std::uint32_t *from = x.words.data() + s * lanes, *lane = index.words.data() + s * lanes;
    std::uint32_t* to = d.words.data() + s * lanes;
    for (int l = 0; l < lanes; ++l) to[l] = from[lane[l] % lanes];
  }
}

void transpose(VectorRegister& d, std::span<const VectorRegister, tile_registers> tile, int r) {
  for (std::size_t from = 0; from < tile_registers; ++from) {
    for (int row = 0; row < sublanes; ++row) {
      const std::uint32_t* source = tile[from].words.data() + r * sublanes + row;
      std::uint32_t* target = d.words.data() + row * lanes + from * sublanes;
      for (int column = 0; column < sublanes; ++column) target[column] = source[column * lanes];
    }
  }
}

}  // namespace podsim::hw::bundle::vector
