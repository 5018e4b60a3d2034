// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/accumulators.h"

#include <algorithm>
#include <set>

#include "hlo/literal.h"
#include "sw/codegen/builder/odometer.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/fusion/counters.h"
#include "sw/codegen/fusion/scalars.h"

namespace podsim::sw::codegen::fusion {

using Isa = hw::isa::Opcode;

Accumulators::Accumulators(const hlo::Module& module, hlo::InstructionId reduce, const Space& space)
    : module_(module),
      body_(module.entry_computation()),
      reduce_(reduce),
      space_(space),
      kept_(kept_dimensions(body_, body_[reduce])),
      reducer_(reducer_of(module, body_, body_[reduce])) {}

bool Accumulators::keeps(int dimension) const { return std::ranges::find(kept_, dimension) != kept_.end(); }

std::int64_t Accumulators::registers() const {
  if (space_.flat()) return kept_.empty() ? 1 : space_.registers();
  std::int64_t count = keeps(space_.lanes()) ? space_.tiles.lane_tiles : 1;
  if (keeps(space_.rows())) count *= space_.tiles.row_tiles;
  for (int i = 0; i < space_.planes(); ++i) {
    if (keeps(space_.plane(i))) count *= space_.size(space_.plane(i));
  }
  return count;
}

std::int64_t Accumulators::vmem_rows() const { return registers() * builder::register_rows; }

double Accumulators::rounding_steps() const {
  if (reducer_.fold != Isa::v_add_f32) return 1;
  return double(space_.registers() / registers()) + tree_steps;
}

void Accumulators::begin(builder::KernelBuilder& builder) {
  at_ = builder.vmem_rows(vmem_rows());
  const registers::VectorReg neutral = builder.unary(Isa::v_mov, reducer_.neutral);
  const registers::ScalarReg row = builder.constant(at_.row);
  builder.loop(std::int32_t(registers()), {registers::LoopSchedule::pipelined, {at_.buffer}}, [&] {
    builder.store({row, 0, at_.buffer}, neutral);
    builder.assign(row, Isa::s_add, row, builder::register_rows);
  });
}

registers::ScalarOperand Accumulators::first_row(builder::KernelBuilder& builder, const Position& position) const {
  if (space_.flat()) return kept_.empty() ? 0 : product(builder, position.row_tile, builder::register_rows);
  registers::ScalarOperand number = 0;
  std::int64_t stride = 1;
  const auto add = [&](int dimension, registers::ScalarOperand at, std::int64_t size) {
    if (!keeps(dimension)) return;
    number = sum(builder, number, product(builder, at, std::int32_t(stride)));
    stride *= size;
  };
  add(space_.lanes(), position.lane_tile, space_.tiles.lane_tiles);
  add(space_.rows(), position.row_tile, space_.tiles.row_tiles);
  for (int i = 0; i < space_.planes(); ++i)
    add(space_.plane(i), position.planes[std::size_t(i)], space_.size(space_.plane(i)));
  return product(builder, number, builder::register_rows);
}

std::int32_t Accumulators::distance(const Group& group) const {
  const std::int64_t across = keeps(space_.lanes()) ? space_.tiles.lane_tiles : 1;
  return std::int32_t((group.first * across + group.second) * builder::register_rows);
}

void Accumulators::add_unit(builder::KernelBuilder& builder, UnitCode& code, const Unit& unit,
                            const Position& first) const {
  const hlo::InstructionId operand = body_[reduce_].operands[0];
  const Axes axes = identity(space_);
  const bool by_row = space_.flat() ? !kept_.empty() : keeps(space_.rows());
  const bool by_lane = !space_.flat() && keeps(space_.lanes());
  std::map<Group, registers::VectorReg> folded;
  for (std::int64_t row = 0; row < unit.row_tiles; ++row) {
    for (std::int64_t lane = 0; lane < unit.lane_tiles; ++lane) {
      const UnitRegister at{row, lane};
      registers::VectorReg x = in_vector(builder, code.value(operand, axes, at));
      if (const auto mask = code.valid(at)) x = builder.op(Isa::v_select, x, reducer_.neutral, *mask);
      const auto [found, is_first] = folded.try_emplace({by_row ? row : 0, by_lane ? lane : 0}, x);
      if (!is_first) found->second = builder.op(reducer_.fold, found->second, x);
    }
  }
  const registers::ScalarOperand rows = first_row(builder, first);
  for (const auto& [group, value] : folded) {
    registers::RowAddress address{builder.constant(at_.row), distance(group), at_.buffer};
    if (!rows.literal) address = {registers::ScalarReg{rows.value}, at_.row + distance(group), at_.buffer};
    if (rows.literal) address.offset += rows.value;
    builder.store(address, builder.op(reducer_.fold, builder.load(address), value));
  }
}

void Accumulators::finish_register(builder::KernelBuilder& builder, const VmemArray& result, const Position& position,
                                   registers::RowAddress accumulator) const {
  registers::VectorReg value = builder.load(accumulator);
  if (space_.flat() ? kept_.empty() : !keeps(space_.lanes())) value = builder.cross_lane(reducer_.lanes, value);
  if (space_.flat() ? kept_.empty() : !keeps(space_.rows())) value = builder.cross_lane(reducer_.sublanes, value);
  const hlo::Instruction& reduce = body_[reduce_];
  const float initial = float(body_[reduce.operands[1]].literal->values.front());
  if (bits_of(hlo::ElementType::f32, double(initial)) != bits_of(hlo::ElementType::f32, double(reducer_.neutral)))
    value = builder.op(reducer_.fold, value, initial);
  if (reduce.shape.element_type == hlo::ElementType::bf16) value = builder.unary(Isa::v_round_bf16, value);
  Axes axes;
  for (const int d : kept_) axes.push_back({d, 0});
  store_located(builder, locate(builder, result, axes, space_, position), value);
}

void Accumulators::finish(builder::KernelBuilder& builder, const VmemArray& result) const {
  Counters counters(builder, space_, {kept_.begin(), kept_.end()});
  const Position position = counters.begin();
  const registers::ScalarReg row = builder.constant(at_.row);
  builder.loop(std::int32_t(registers()), {registers::LoopSchedule::pipelined, {at_.buffer}}, [&] {
    finish_register(builder, result, position, {row, 0, at_.buffer});
    builder.assign(row, Isa::s_add, row, builder::register_rows);
    counters.advance();
  });
}

}  // namespace podsim::sw::codegen::fusion
