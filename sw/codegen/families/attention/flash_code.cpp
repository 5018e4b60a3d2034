// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/attention/flash_code.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::families::attention {

using Op = hw::isa::Opcode;

namespace {
/// Registers of scores that are masked together; there are 8 mask registers.
constexpr std::int32_t masked_together = 4;
}  // namespace

FlashCode::FlashCode(builder::KernelBuilder& builder, const FlashPlan& plan, const FlashBuffers& buffers)
    : b_(builder), plan_(plan), buffers_(buffers), scale_(float(1 / std::sqrt(double(plan.problem.depth)))) {}

void FlashCode::hide_later_keys(const FlashPosition& position) const {
  // Key `begin + lane` of the first tile is seen by query `sublane` if begin + lane <= last_seen + sublane.
  const registers::ScalarReg apart = b_.op(Op::s_sub, position.begin, position.last_seen);
  const registers::ScalarReg after_all_keys = b_.op(Op::s_add, apart, std::int32_t(plan_.walk.block - 1));
  const registers::ScalarReg trips = b_.constant(1);
  const registers::PredicateReg hides = b_.compare(Op::s_lt, {}, after_all_keys);
  b_.when(hides, false, [&] { b_.set(trips, plan_.block_registers()); });
  const registers::VectorReg diagonal = b_.op(Op::v_sub_s32, b_.lane_numbers(), b_.sublane_numbers());
  const registers::VectorReg beyond = b_.op(Op::v_add_s32, diagonal, b_.splat(apart));
  const registers::ScalarReg scores = b_.constant(buffers_.scores.row);
  b_.loop(trips, {registers::LoopSchedule::pipelined, {buffers_.scores.buffer}}, [&] {
    hide(scores, beyond);
    b_.assign(scores, Op::s_add, scores, plan_.key_tiles() * builder::register_rows);
    b_.assign(beyond, Op::v_sub_s32, beyond, registers::VectorOperand::bits(builder::register_rows));
  });
}

/// The masks depend on the last of their scores, without changing with it: otherwise a pipelined loop makes them long
/// before they are needed, and mask registers run short.
void FlashCode::hide(registers::ScalarReg scores, registers::VectorReg beyond) const {
  for (std::int32_t first = 0; first < plan_.key_tiles(); first += masked_together) {
    const std::int32_t end = std::min(first + masked_together, plan_.key_tiles());
    std::vector<registers::VectorReg> values;
    for (std::int32_t i = first; i < end; ++i) values.push_back(b_.load(scores_at(scores, i)));
    const registers::VectorReg late =
        b_.op(Op::v_add_s32, beyond, b_.op(Op::v_and, values.back(), registers::VectorOperand::bits(0)));
    for (std::int32_t i = first; i < end; ++i) {
      const registers::MaskReg seen =
          b_.compare(Op::v_le_s32, late, registers::VectorOperand::bits(-i * builder::register_lanes));
      const registers::VectorReg score =
          b_.op(Op::v_select, values[std::size_t(i - first)], -std::numeric_limits<float>::infinity(), seen);
      b_.store(scores_at(scores, i), score);
    }
  }
}

void FlashCode::weigh(registers::ScalarReg begin) const {
  const registers::MaskReg begun = b_.mask();
  b_.assign_splat(begun, begin);
  const registers::ScalarReg scores = b_.constant(buffers_.scores.row), state = b_.constant(0);
  b_.loop(plan_.block_registers(),
          {registers::LoopSchedule::pipelined,
           {buffers_.scores.buffer, buffers_.sums.buffer, buffers_.maxima.buffer, buffers_.totals.buffer}},
          [&] {
            weigh(scores, state, begun);
            b_.assign(scores, Op::s_add, scores, plan_.key_tiles() * builder::register_rows);
            b_.assign(state, Op::s_add, state, builder::register_rows);
          });
}

/// Loads the scores twice, since keeping them over the hundred cycles of the cross-lane unit takes too many registers.
void FlashCode::weigh(registers::ScalarReg scores, registers::ScalarReg state, registers::MaskReg begun) const {
  registers::VectorReg most = b_.load(scores_at(scores, 0));
  for (std::int32_t i = 1; i < plan_.key_tiles(); ++i) most = b_.op(Op::v_max_f32, most, b_.load(scores_at(scores, i)));
  most = b_.cross_lane(Op::x_max_lanes, most);
  const registers::VectorReg before = b_.unary(Op::v_mov, std::numeric_limits<float>::lowest());
  b_.assign(before, Op::v_mov, {}, b_.load(at(buffers_.maxima, state)), begun);
  most = b_.op(Op::v_max_f32, before, most);
  b_.store(at(buffers_.maxima, state), most);
  const registers::VectorReg decay = weight(before, most);
  b_.store(at(buffers_.sums, state), b_.op(Op::v_mul_f32, b_.load(at(buffers_.sums, state), begun), decay));
  registers::VectorReg total = b_.op(Op::v_mul_f32, b_.load(at(buffers_.totals, state), begun), decay);
  for (std::int32_t i = 0; i < plan_.key_tiles(); ++i) {
    const registers::VectorReg share = weight(b_.load(scores_at(scores, i)), most);
    b_.store(scores_at(scores, i), share);
    total = b_.op(Op::v_add_f32, total, share);
  }
  b_.store(at(buffers_.totals, state), total);
}

void FlashCode::divide(registers::ScalarReg row, int buffer) const {
  const registers::ScalarReg state = b_.constant(0), to = b_.op(Op::s_add, row, 0);
  b_.loop(plan_.block_registers(),
          {registers::LoopSchedule::pipelined, {buffers_.sums.buffer, buffers_.totals.buffer, buffer}}, [&] {
            const registers::VectorReg total = b_.cross_lane(Op::x_sum_lanes, b_.load(at(buffers_.totals, state)));
            const registers::VectorReg share = b_.transcendental(Op::e_recip, total);
            b_.store({to, 0, buffer}, b_.op(Op::v_mul_f32, b_.load(at(buffers_.sums, state)), share));
            b_.assign(state, Op::s_add, state, builder::register_rows);
            b_.assign(to, Op::s_add, to, builder::register_rows);
          });
}

registers::RowAddress FlashCode::scores_at(registers::ScalarReg base, std::int32_t tile) const {
  return {base, tile * builder::register_rows, buffers_.scores.buffer};
}

registers::RowAddress FlashCode::at(const builder::KernelBuilder::VmemBuffer& array, registers::ScalarReg state) const {
  return {state, array.row, array.buffer};
}

registers::VectorReg FlashCode::weight(registers::VectorReg score, registers::VectorReg most) const {
  return b_.transcendental(Op::e_exp, b_.op(Op::v_mul_f32, b_.op(Op::v_sub_f32, score, most), scale_));
}

}  // namespace podsim::sw::codegen::families::attention
