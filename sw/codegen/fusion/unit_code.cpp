// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/unit_code.h"

#include <vector>

#include "hlo/literal.h"
#include "sw/codegen/builder/odometer.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/fusion/moves.h"
#include "sw/codegen/fusion/operations.h"
#include "sw/codegen/fusion/reducer.h"
#include "sw/codegen/fusion/scalars.h"

namespace podsim::sw::codegen::fusion {

using Isa = hw::isa::Opcode;

namespace {

registers::VectorOperand word(std::int64_t number) { return registers::VectorOperand::bits(std::int32_t(number)); }

/// True if a register of an array other than the unit's first one is a fixed number of rows away from that.
bool is_fixed_distance(const Located& located, const hlo::Shape& array) {
  if (located.whole_tile) return true;
  return located.lanes != Located::Lanes::of_rows &&
         (array.element_type != hlo::ElementType::bf16 || array.rank() != 1);
}

/// The address in another register of the unit.
Located moved(Located located, const VmemArray& array, UnitRegister at) {
  const std::int64_t rows = builder::tile_rows(array.shape.element_type);
  const bool along_lanes = located.lanes == Located::Lanes::as_they_are;
  const std::int64_t lane_tile = along_lanes ? at.lane_tile : 0;
  if (located.whole_tile) {
    const std::int64_t across = families::array_tiles(array.shape).lane_tiles;
    located.address.offset += std::int32_t((at.row_tile * across + lane_tile) * rows);
  } else {
    located.address.offset += std::int32_t(lane_tile * (array.shape.rank() == 1 ? 1 : rows));
  }
  return located;
}

}  // namespace

UnitCode::UnitCode(builder::KernelBuilder& builder, const hlo::Module& module, const Space& space, const Unit& unit,
                   const Position& first, const Sources& sources, const Columns& columns, const Invariants& invariants)
    : builder_(builder),
      module_(module),
      body_(module.entry_computation()),
      space_(space),
      unit_(unit),
      first_(first),
      sources_(sources),
      columns_(columns),
      invariants_(invariants) {}

UnitCode::Key UnitCode::key(hlo::InstructionId id, const Axes& axes, UnitRegister at) const {
  const bool rows = space_.flat() ? !is_invariant(axes) : depends_on(axes, space_.rows());
  const bool lanes = !space_.flat() && depends_on(axes, space_.lanes());
  return {id, axes, rows ? at.row_tile : 0, lanes ? at.lane_tile : 0};
}

Value UnitCode::value(hlo::InstructionId id, const Axes& axes, UnitRegister at) {
  if (const auto known = invariants_.find(id); known != invariants_.end()) return known->second;
  const hlo::Instruction& instruction = body_[id];
  const Value exact = before_rounding(id, axes, at);
  const bool rounds = instruction.shape.element_type == hlo::ElementType::bf16 && exact.kind == Value::Kind::words &&
                      !is_move(instruction.opcode) && !keeps_bf16(instruction.opcode) && !sources_.contains(id);
  if (!rounds) return exact;
  const auto [found, is_new] = rounded_.try_emplace(key(id, axes, at));
  if (is_new) found->second = Value::of(builder_.unary(Isa::v_round_bf16, exact.words));
  return found->second;
}

Value UnitCode::before_rounding(hlo::InstructionId id, const Axes& axes, UnitRegister at) {
  if (const auto known = invariants_.find(id); known != invariants_.end()) return known->second;
  const Key which = key(id, axes, at);
  if (const auto known = computed_.find(which); known != computed_.end()) return known->second;
  const Value written = computed(id, axes, at);
  computed_.emplace(which, written);
  return written;
}

Value UnitCode::computed(hlo::InstructionId id, const Axes& axes, UnitRegister at) {
  const hlo::Instruction& instruction = body_[id];
  if (sources_.contains(id)) return loaded(id, axes, at);
  if (instruction.opcode == hlo::Opcode::constant)
    return Value::literal(bits_of(instruction.shape.element_type, instruction.literal->values.front()));
  if (instruction.opcode == hlo::Opcode::iota) return iota(instruction, axes, at);
  if (instruction.opcode == hlo::Opcode::reduce) return reduced(instruction, axes, at);
  if (is_move(instruction.opcode)) {
    const hlo::InstructionId operand = instruction.operands[0];
    return value(operand, axes_of_operand(instruction, body_[operand].shape, axes), at);
  }
  std::vector<Value> operands;
  std::vector<hlo::ElementType> types;
  for (const hlo::InstructionId operand : instruction.operands) {
    // The bounds of a clamp and the condition of a select may be scalars.
    const bool scalar = body_[operand].shape.rank() == 0;
    operands.push_back(value(operand, scalar ? Axes() : axes, at));
    types.push_back(body_[operand].shape.element_type);
  }
  return write_operation(builder_, instruction, types, operands);
}

Value UnitCode::loaded(hlo::InstructionId id, const Axes& axes, UnitRegister at) {
  const registers::VectorReg words = loaded_words(id, axes, at);
  if (body_[id].shape.element_type != hlo::ElementType::pred) return Value::of(words);
  return Value::of(builder_.compare(Isa::v_ne_s32, words, word(0)));
}

registers::VectorReg UnitCode::loaded_words(hlo::InstructionId id, const Axes& axes, UnitRegister at) {
  const Source& source = sources_.at(id);
  if (source.unit && has_registers_of(source.array.shape, axes, space_)) return of_stream(id, source, at);
  if (const auto column = columns_.find({id, axes}); column != columns_.end()) return of_column(column->second, at);
  return load_located(builder_, source.array, located(id, source, axes, at));
}

registers::VectorReg UnitCode::of_column(const builder::KernelBuilder::VmemBuffer& column, UnitRegister at) {
  const registers::ScalarOperand rows = product(builder_, first_.row_tile, builder::register_rows);
  const auto offset = std::int32_t(at.row_tile * builder::register_rows);
  if (rows.literal) return builder_.load({builder_.constant(column.row), rows.value + offset, column.buffer});
  return builder_.load({registers::ScalarReg{rows.value}, column.row + offset, column.buffer});
}

registers::VectorReg UnitCode::of_stream(hlo::InstructionId id, const Source& source, UnitRegister at) {
  const hlo::ElementType type = source.array.shape.element_type;
  const std::int64_t number = at.row_tile * unit_.lane_tiles + at.lane_tile;
  registers::RowAddress address = *source.unit;
  const bool packed = type == hlo::ElementType::bf16;
  if (!packed || (number == unit_.registers() - 1 && number % 2 == 0)) {
    address.offset += std::int32_t(number * builder::tile_rows(type));
    return builder::load_tile(builder_, address, packed);
  }
  const auto [found, is_new] = pairs_.try_emplace({id, number / 2});
  if (is_new) {
    address.offset += std::int32_t(number / 2 * builder::register_rows);
    found->second = builder::load_pair(builder_, type, address);
  }
  return found->second[std::size_t(number % 2)];
}

Located UnitCode::located(hlo::InstructionId id, const Source& source, const Axes& axes, UnitRegister at) {
  const auto [found, is_new] = located_.try_emplace({id, axes});
  if (is_new) found->second = locate(builder_, source.array, axes, space_, first_);
  if (is_fixed_distance(found->second, source.array.shape)) return moved(found->second, source.array, at);
  return locate(builder_, source.array, axes, space_, position(at));
}

Position UnitCode::position(UnitRegister at) {
  Position position = first_;
  position.row_tile = sum(builder_, position.row_tile, std::int32_t(at.row_tile));
  position.lane_tile = sum(builder_, position.lane_tile, std::int32_t(at.lane_tile));
  return position;
}

registers::VectorReg UnitCode::lane_numbers() {
  if (!lane_numbers_) lane_numbers_ = builder_.lane_numbers();
  return *lane_numbers_;
}

registers::VectorReg UnitCode::row_numbers() {
  if (!row_numbers_) row_numbers_ = builder_.sublane_numbers();
  return *row_numbers_;
}

registers::VectorReg UnitCode::counted(registers::VectorReg numbers, registers::ScalarOperand first) {
  if (first.literal) return first.value == 0 ? numbers : builder_.op(Isa::v_add_s32, numbers, word(first.value));
  return builder_.op(Isa::v_add_s32, numbers, builder_.splat(registers::ScalarReg{first.value}));
}

registers::VectorReg UnitCode::elements_of_vector(UnitRegister at) {
  const registers::VectorReg rows = builder_.op(Isa::v_mul_s32, row_numbers(), word(builder::register_lanes));
  const registers::VectorReg numbers = builder_.op(Isa::v_add_s32, rows, lane_numbers());
  return counted(numbers, product(builder_, position(at).row_tile, builder::register_words));
}

Value UnitCode::iota(const hlo::Instruction& instruction, const Axes& axes, UnitRegister at) {
  const Axis axis = axes[std::size_t(instruction.index)];
  const auto offset = std::int32_t(axis.offset);
  const Position here = position(at);
  registers::VectorReg numbers;
  if (axis.along < 0) {
    return Value::literal(bits_of(instruction.shape.element_type, double(offset)));
  } else if (space_.flat()) {
    numbers = counted(elements_of_vector(at), offset);
  } else if (axis.along == space_.lanes()) {
    numbers =
        counted(lane_numbers(), sum(builder_, product(builder_, here.lane_tile, builder::register_lanes), offset));
  } else if (axis.along == space_.rows()) {
    numbers = counted(row_numbers(), sum(builder_, product(builder_, here.row_tile, builder::register_rows), offset));
  } else {
    int plane = 0;
    while (space_.plane(plane) != axis.along) ++plane;
    const registers::ScalarOperand index = sum(builder_, here.planes[std::size_t(plane)], offset);
    numbers = index.literal ? builder_.unary(Isa::v_mov, word(index.value))
                            : builder_.splat(registers::ScalarReg{index.value});
  }
  if (held(instruction.shape.element_type) == Held::floats) numbers = builder_.unary(Isa::v_cvt_s32_f32, numbers);
  return Value::of(numbers);
}

Value UnitCode::reduced(const hlo::Instruction& instruction, const Axes& axes, UnitRegister at) {
  const Reducer reducer = reducer_of(module_, body_, instruction);
  const hlo::InstructionId operand = instruction.operands[0];
  Axes of_operand(body_[operand].shape.dimensions.size(), Axis{space_.lanes(), 0});
  const std::vector<int> kept = kept_dimensions(body_, instruction);
  for (std::size_t i = 0; i < kept.size(); ++i) of_operand[std::size_t(kept[i])] = axes[i];
  registers::VectorReg all;
  for (std::int64_t tile = 0; tile < unit_.lane_tiles; ++tile) {
    const UnitRegister here{at.row_tile, tile};
    registers::VectorReg x = in_vector(builder_, value(operand, of_operand, here));
    if (const auto mask = valid_lanes(here)) x = builder_.op(Isa::v_select, x, reducer.neutral, *mask);
    all = tile == 0 ? x : builder_.op(reducer.fold, all, x);
  }
  const registers::VectorReg result = builder_.cross_lane(reducer.lanes, all);
  const hlo::Instruction& initial = body_[instruction.operands[1]];
  const Value from = Value::literal(bits_of(hlo::ElementType::f32, initial.literal->values.front()));
  if (from.bits == bits_of(hlo::ElementType::f32, double(reducer.neutral))) return Value::of(result);
  return Value::of(builder_.op(reducer.fold, result, as_operand(from)));
}

std::optional<registers::MaskReg> UnitCode::valid_lanes(UnitRegister at) {
  const std::int64_t size = space_.size(space_.lanes());
  if (size % builder::register_lanes == 0) return std::nullopt;
  const auto [found, is_new] = valid_lanes_.try_emplace({0, at.lane_tile});
  if (!is_new) return found->second;
  const registers::ScalarOperand tile = position(at).lane_tile;
  if (tile.literal) {
    const std::int64_t left = size - tile.value * builder::register_lanes;
    if (left < builder::register_lanes) found->second = builder_.compare(Isa::v_lt_s32, lane_numbers(), word(left));
  } else {
    const registers::VectorReg index = counted(lane_numbers(), product(builder_, tile, builder::register_lanes));
    found->second = builder_.compare(Isa::v_lt_s32, index, word(size));
  }
  return found->second;
}

std::optional<registers::MaskReg> UnitCode::valid_rows(UnitRegister at) {
  const std::int64_t size = space_.size(space_.rows());
  if (size % builder::register_rows == 0) return std::nullopt;
  const auto [found, is_new] = valid_rows_.try_emplace({at.row_tile, 0});
  if (!is_new) return found->second;
  const registers::VectorReg index =
      counted(row_numbers(), product(builder_, position(at).row_tile, builder::register_rows));
  found->second = builder_.compare(Isa::v_lt_s32, index, word(size));
  return found->second;
}

std::optional<registers::MaskReg> UnitCode::valid(UnitRegister at) {
  if (space_.flat()) {
    const std::int64_t size = space_.shape.element_count();
    if (size % builder::register_words == 0) return std::nullopt;
    return builder_.compare(Isa::v_lt_s32, elements_of_vector(at), word(size));
  }
  const auto lanes = valid_lanes(at), rows = valid_rows(at);
  if (!lanes || !rows) return lanes ? lanes : rows;
  return builder_.mask_op(Isa::m_and, *lanes, *rows);
}

}  // namespace podsim::sw::codegen::fusion
