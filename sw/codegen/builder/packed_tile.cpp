// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/packed_tile.h"

namespace podsim::sw::codegen::builder {

using hw::isa::Opcode;

namespace {
/// Shuffle that maps sublanes 4 to 7 to the same rows as sublanes 0 to 3.
constexpr std::uint32_t twice_four_rows = 0x32103210;
}  // namespace

registers::VectorReg load_packed(KernelBuilder& builder, registers::RowAddress address) {
  return builder.unary(hw::isa::Opcode::v_unpack_lo, builder.load_shuffled(address, twice_four_rows));
}

void store_packed(KernelBuilder& builder, registers::RowAddress address, registers::VectorReg value) {
  builder.store_shuffled(address, twice_four_rows, builder.op(hw::isa::Opcode::v_pack_bf16, value, value));
}

registers::VectorReg load_tile(KernelBuilder& builder, registers::RowAddress address, bool packed) {
  return packed ? load_packed(builder, address) : builder.load(address);
}

void store_tile(KernelBuilder& builder, registers::RowAddress address, registers::VectorReg value, bool packed) {
  packed ? store_packed(builder, address, value) : builder.store(address, value);
}

}  // namespace podsim::sw::codegen::builder
