// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/attention/hidden_values.h"

#include <bit>

#include "sw/codegen/builder/element_code.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::families::attention {

using Op = hw::isa::Opcode;

namespace {
constexpr std::int32_t pair_keys = 2 * builder::register_rows;
}  // namespace

void clear_hidden_values(builder::KernelBuilder& b, const ValueBlock& values, registers::ScalarReg visible) {
  const hlo::ElementType type = values.packed ? hlo::ElementType::bf16 : hlo::ElementType::f32;
  const std::int32_t pairs = values.keys / pair_keys, pair_rows = 2 * builder::rows_of_tile(values.packed);
  // The loop has at least one trip: over the last pair, if all keys are visible.
  const registers::ScalarReg first =
      b.op(Op::s_min, b.op(Op::s_shr, visible, std::countr_zero(unsigned(pair_keys))), pairs - 1);
  const registers::ScalarReg trips = b.op(Op::s_sub, b.constant(pairs), first);
  const registers::ScalarReg base = b.op(Op::s_add, values.base, b.op(Op::s_mul, first, pair_rows));
  const registers::VectorReg left =
      b.op(Op::v_sub_s32, b.splat(b.op(Op::s_sub, visible, b.op(Op::s_mul, first, pair_keys))), b.sublane_numbers());
  b.loop(trips, {registers::LoopSchedule::pipelined, {values.buffer}}, [&] {
    const builder::TilePair pair = builder::load_pair(b, type, {base, 0, values.buffer});
    for (std::int32_t i = 0; i < 2; ++i) {
      const registers::MaskReg hidden =
          b.compare(Op::v_le_s32, left, registers::VectorOperand::bits(i * builder::register_rows));
      b.assign(pair[std::size_t(i)], Op::v_mov, {}, 0.0F, hidden);
    }
    builder::store_pair(b, type, {base, 0, values.buffer}, pair);
    b.assign(base, Op::s_add, base, pair_rows);
    b.assign(left, Op::v_sub_s32, left, registers::VectorOperand::bits(pair_keys));
  });
}

}  // namespace podsim::sw::codegen::families::attention
