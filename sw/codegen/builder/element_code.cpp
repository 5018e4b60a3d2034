// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/element_code.h"

#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::builder {

using Op = hw::isa::Opcode;

std::int64_t tile_rows(hlo::ElementType type) {
  return type == hlo::ElementType::bf16 ? register_rows / 2 : register_rows;
}
std::int64_t tile_words(hlo::ElementType type) { return register_lanes * tile_rows(type); }

TilePair load_pair(KernelBuilder& builder, hlo::ElementType type, registers::RowAddress address) {
  const registers::VectorReg first = builder.load(address);
  if (type == hlo::ElementType::bf16) {
    return {builder.unary(Op::v_unpack_lo, first), builder.unary(Op::v_unpack_hi, first)};
  }
  address.offset += register_rows;
  return {first, builder.load(address)};
}

void store_pair(KernelBuilder& builder, hlo::ElementType type, registers::RowAddress address, const TilePair& pair) {
  if (type == hlo::ElementType::bf16) {
    builder.store(address, builder.op(Op::v_pack_bf16, pair[0], pair[1]));
    return;
  }
  builder.store(address, pair[0]);
  address.offset += register_rows;
  builder.store(address, pair[1]);
}

hw::VectorWork load_pair_work(hlo::ElementType type) {
  return type == hlo::ElementType::bf16 ? hw::VectorWork{.loads = 1, .alu_ops = 2} : hw::VectorWork{.loads = 2};
}

hw::VectorWork store_pair_work(hlo::ElementType type) {
  return type == hlo::ElementType::bf16 ? hw::VectorWork{.stores = 1, .alu_ops = 1} : hw::VectorWork{.stores = 2};
}

hw::VectorWork sum(const hw::VectorWork& a, const hw::VectorWork& b) {
  return {.loads = a.loads + b.loads,
          .stores = a.stores + b.stores,
          .alu_ops = a.alu_ops + b.alu_ops,
          .transcendentals = a.transcendentals + b.transcendentals};
}

hw::VectorWork times(std::int64_t count, const hw::VectorWork& work) {
  return {.loads = count * work.loads,
          .stores = count * work.stores,
          .alu_ops = count * work.alu_ops,
          .transcendentals = count * work.transcendentals};
}

}  // namespace podsim::sw::codegen::builder
