// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/packed_tile.h"

namespace podsim::sw {

using hw::isa::Opcode;

namespace {
/// Sublanes 4 to 7 at the rows of 0 to 3.
constexpr std::uint32_t twice_four_rows = 0x32103210;
}  // namespace

VectorReg load_packed(KernelBuilder& builder, RowAddress address) {
  return builder.unary(Opcode::v_unpack_lo, builder.load_shuffled(address, twice_four_rows));
}

void store_packed(KernelBuilder& builder, RowAddress address, VectorReg value) {
  builder.store_shuffled(address, twice_four_rows, builder.op(Opcode::v_pack_bf16, value, value));
}

VectorReg load_tile(KernelBuilder& builder, RowAddress address, bool packed) {
  return packed ? load_packed(builder, address) : builder.load(address);
}

void store_tile(KernelBuilder& builder, RowAddress address, VectorReg value, bool packed) {
  packed ? store_packed(builder, address, value) : builder.store(address, value);
}

}  // namespace podsim::sw
