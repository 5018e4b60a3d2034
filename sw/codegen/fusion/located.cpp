// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/located.h"

#include <algorithm>

#include "sw/codegen/builder/element_code.h"
#include "sw/codegen/builder/odometer.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/fusion/no_code.h"
#include "sw/codegen/fusion/scalars.h"

namespace podsim::sw::codegen::fusion {

namespace {

using Isa = hw::isa::Opcode;
using Scalar = registers::ScalarOperand;

constexpr int row_bits = 3, lane_bits = 7;

bool is_packed(const hlo::Shape& shape) { return shape.element_type == hlo::ElementType::bf16; }

/// Which coordinate of a register an index of the array follows.
enum class Follows { nothing, lanes, rows, plane };

Follows follows(const Axis& axis, const Space& space) {
  if (axis.along < 0) return Follows::nothing;
  if (axis.along == space.lanes()) return Follows::lanes;
  if (axis.along == space.rows()) return Follows::rows;
  return Follows::plane;
}

/// The axis of the array's i-th most minor dimension.
const Axis& minor_axis(const hlo::Shape& array, const Axes& axes, int i) {
  return axes[std::size_t(array.minor_dimension(i))];
}

[[noreturn]] void reject_layout() {
  throw NoCode("layout", "an operand has in its lanes what the result has in its sublanes, or the other way round");
}

void check_offset(const Axis& axis, std::int64_t unit) {
  if (axis.offset % unit != 0) throw NoCode("slice", "a slice begins within a register");
}

/// Writes the address of one register.
class Location {
 public:
  Location(builder::KernelBuilder& builder, const VmemArray& array, const Axes& axes, const Space& space,
           const Position& position)
      : builder_(builder), array_(array), axes_(axes), space_(space), position_(position) {}

  Located find() {
    const hlo::Shape& shape = array_.shape;
    if (space_.flat()) return of_flat();
    if (shape.rank() == 0) return at_row(0, {}, 0);
    const Axis& lanes = minor_axis(shape, axes_, 0);
    const Scalar lane = index(lanes);
    const Scalar lane_tile = shifted_right(builder_, lane, lane_bits);
    if (shape.rank() == 1) return at_row(lane_tile, lanes, lane);
    const Axis& rows = minor_axis(shape, axes_, 1);
    const Scalar row = index(rows);
    const Scalar tile = tile_number(shifted_right(builder_, row, row_bits), lane_tile);
    if (follows(rows, space_) == Follows::rows) return at_tile(tile, lanes, lane);
    const Scalar first = product(builder_, tile, rows_per_tile() * (is_packed(shape) ? 2 : 1));
    return at_row(sum(builder_, first, low_bits(builder_, row, row_bits)), lanes, lane);
  }

 private:
  std::int32_t rows_per_tile() const { return std::int32_t(builder::tile_rows(array_.shape.element_type)); }

  Located of_flat() {
    if (array_.shape.rank() == 0 || is_invariant(axes_)) return at_row(0, {}, 0);
    return at_tile(position_.row_tile, {}, 0, Located::Lanes::as_they_are);
  }

  /// The index of the array's elements along one of its dimensions; that of the register's first row or lane.
  Scalar index(const Axis& axis) {
    const auto offset = std::int32_t(axis.offset);
    switch (follows(axis, space_)) {
      case Follows::nothing:
        return offset;
      case Follows::lanes:
        return sum(builder_, product(builder_, position_.lane_tile, builder::register_lanes), offset);
      case Follows::rows:
        return sum(builder_, product(builder_, position_.row_tile, builder::register_rows), offset);
      case Follows::plane:
        break;
    }
    for (int i = 0; i < space_.planes(); ++i) {
      if (space_.plane(i) == axis.along) return sum(builder_, position_.planes[std::size_t(i)], offset);
    }
    return offset;
  }

  Scalar tile_number(Scalar row_tile, Scalar lane_tile) {
    const hlo::Shape& shape = array_.shape;
    const families::ArrayTiles tiles = families::array_tiles(shape);
    Scalar plane = 0;
    std::int64_t stride = 1;
    for (int i = 2; i < shape.rank(); ++i) {
      plane = sum(builder_, plane, product(builder_, index(minor_axis(shape, axes_, i)), std::int32_t(stride)));
      stride *= shape.dimensions[std::size_t(shape.minor_dimension(i))];
    }
    const Scalar rows = sum(builder_, product(builder_, plane, std::int32_t(tiles.row_tiles)), row_tile);
    return sum(builder_, product(builder_, rows, std::int32_t(tiles.lane_tiles)), lane_tile);
  }

  Located at_tile(Scalar tile, const Axis& lanes, Scalar lane) {
    const bool along_lanes = follows(lanes, space_) == Follows::lanes;
    return at_tile(tile, lanes, lane, along_lanes ? Located::Lanes::as_they_are : Located::Lanes::one);
  }
  Located at_tile(Scalar tile, const Axis&, Scalar lane, Located::Lanes lanes) {
    Located located;
    located.address = address(product(builder_, tile, rows_per_tile()), 1);
    located.whole_tile = true;
    located.lanes = lanes;
    if (lanes != Located::Lanes::as_they_are) located.lane = low_bits(builder_, lane, lane_bits);
    return located;
  }

  /// Row number `row` of 128 elements.
  Located at_row(Scalar row, const Axis& lanes, Scalar lane) {
    Located located;
    if (is_packed(array_.shape)) {
      located.odd_row = low_bits(builder_, row, 1);
      row = shifted_right(builder_, row, 1);
    }
    located.address = address(row, 0);
    const Follows along = follows(lanes, space_);
    if (along == Follows::lanes) return located;
    located.lanes = along == Follows::rows ? Located::Lanes::of_rows : Located::Lanes::one;
    located.lane = low_bits(builder_, lane, lane_bits);
    return located;
  }

  registers::RowAddress address(Scalar row, std::int32_t stride) {
    if (row.literal) return {builder_.constant(array_.at.row), row.value, array_.at.buffer, stride};
    return {registers::ScalarReg{row.value}, array_.at.row, array_.at.buffer, stride};
  }

  builder::KernelBuilder& builder_;
  const VmemArray& array_;
  const Axes& axes_;
  const Space& space_;
  const Position& position_;
};

/// Lane numbers of the sublanes of a register, from `lane` on.
registers::VectorReg lanes_of_rows(builder::KernelBuilder& builder, Scalar lane) {
  const registers::VectorReg rows = builder.sublane_numbers();
  if (lane.literal) return builder.op(Isa::v_add_s32, rows, registers::VectorOperand::bits(lane.value));
  return builder.op(Isa::v_add_s32, rows, builder.splat(registers::ScalarReg{lane.value}));
}

/// The elements of one row of two per word, as f32.
registers::VectorReg half_of_words(builder::KernelBuilder& builder, registers::VectorReg words, Scalar odd) {
  constexpr std::int32_t high = std::int32_t(0xffff0000);
  const auto bits = [](std::int32_t word) { return registers::VectorOperand::bits(word); };
  if (odd.literal) {
    return odd.value == 0 ? builder.op(Isa::v_shl, words, bits(16)) : builder.op(Isa::v_and, words, bits(high));
  }
  const registers::ScalarReg even = builder.op(Isa::s_xor, registers::ScalarReg{odd.value}, 1);
  const registers::VectorReg shift = builder.splat(builder.op(Isa::s_shl, even, 4));
  return builder.op(Isa::v_and, builder.op(Isa::v_shl, words, shift), bits(high));
}

registers::MaskReg lane_is(builder::KernelBuilder& builder, registers::VectorReg wanted) {
  return builder.compare(Isa::v_eq_s32, builder.lane_numbers(), wanted);
}

registers::VectorReg everywhere(builder::KernelBuilder& builder, Scalar number) {
  return number.literal ? builder.unary(Isa::v_mov, registers::VectorOperand::bits(number.value))
                        : builder.splat(registers::ScalarReg{number.value});
}

}  // namespace

Located locate(builder::KernelBuilder& builder, const VmemArray& array, const Axes& axes, const Space& space,
               const Position& position) {
  return Location(builder, array, axes, space, position).find();
}

bool is_column(const hlo::Shape& array, const Axes& axes, const Space& space) {
  if (space.flat() || array.rank() == 0 || follows(minor_axis(array, axes, 0), space) != Follows::rows) return false;
  return std::ranges::count_if(axes, [](const Axis& axis) { return axis.along >= 0; }) == 1;
}

void check_located(const hlo::Shape& array, const Axes& axes, const Space& space) {
  if (array.rank() == 0) return;
  if (space.flat()) {
    if (is_invariant(axes)) {
      if (std::ranges::any_of(axes, [](const Axis& axis) { return axis.offset != 0; }))
        throw NoCode("slice", "a slice begins within a register");
      return;
    }
    if (array.rank() != 1 || axes[0].offset != 0) reject_layout();
    return;
  }
  const Axis& lanes = minor_axis(array, axes, 0);
  if (follows(lanes, space) == Follows::lanes) check_offset(lanes, builder::register_lanes);
  if (follows(lanes, space) == Follows::rows) check_offset(lanes, builder::register_rows);
  if (array.rank() == 1) return;
  const Axis& rows = minor_axis(array, axes, 1);
  if (follows(rows, space) == Follows::lanes) reject_layout();
  if (follows(rows, space) == Follows::rows) check_offset(rows, builder::register_rows);
  for (int i = 2; i < array.rank(); ++i) {
    const Follows outer = follows(minor_axis(array, axes, i), space);
    if (outer == Follows::lanes || outer == Follows::rows) reject_layout();
  }
}

registers::VectorReg load_located(builder::KernelBuilder& builder, const VmemArray& array, const Located& located) {
  const bool packed = is_packed(array.shape);
  registers::VectorReg value;
  if (located.whole_tile) {
    value = builder::load_tile(builder, located.address, packed);
  } else {
    value = builder.load(located.address);
    if (packed) value = half_of_words(builder, value, located.odd_row);
  }
  switch (located.lanes) {
    case Located::Lanes::as_they_are:
      return value;
    case Located::Lanes::of_rows:
      builder.push_permute(value, lanes_of_rows(builder, located.lane));
      return builder.pop(hw::isa::cross_lane_unit);
    case Located::Lanes::one:
      break;
  }
  return builder.cross_lane(Isa::x_broadcast_lane, value, located.lane);
}

void store_located(builder::KernelBuilder& builder, const Located& located, registers::VectorReg value) {
  switch (located.lanes) {
    case Located::Lanes::as_they_are:
      return builder.store(located.address, value);
    case Located::Lanes::of_rows:
      return builder.store(located.address, value, lane_is(builder, lanes_of_rows(builder, located.lane)));
    case Located::Lanes::one:
      return builder.store(located.address, value, lane_is(builder, everywhere(builder, located.lane)));
  }
}

}  // namespace podsim::sw::codegen::fusion
