// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/convolution_staging.h"

#include <array>
#include <optional>
#include <vector>

#include "sw/codegen/builder/odometer.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/families/block_sizes.h"

namespace podsim::sw::codegen::families::matrix {

using hw::isa::Opcode;

namespace {

/// Maximum number of registers that an iteration copies.
constexpr std::int64_t max_copied = 48;

/// Shuffle for the rows of a register's sublanes in two phases: sublane i goes to row (first + i) / 2 of phase
/// (first + i) % 2.
constexpr std::uint32_t halved_rows(int first) {
  std::uint32_t nibbles = 0;
  for (int i = 0; i < builder::register_rows; ++i) nibbles |= std::uint32_t((first + i) / 2) << (4 * i);
  return nibbles;
}

/// Common base of both kinds of staging: the lines of a tile in order.
class StagingWriter {
 public:
  StagingWriter(builder::KernelBuilder& builder, const ConvolutionPlan& plan, const builder::MatrixOperand& tile,
                registers::ScalarReg first_line, const builder::KernelBuilder::VmemBuffer& staged)
      : builder_(builder),
        problem_(plan.problem()),
        tiling_(plan.tiling()),
        plan_(plan),
        tile_(tile),
        staged_(staged),
        line_(builder.op(hw::isa::Opcode::s_add, first_line, 0)),
        tile_base_(builder.op(hw::isa::Opcode::s_add, tile.base, 0)) {}

 protected:
  /// Mask that is true in all lanes if the input has this line, else in none.
  std::optional<registers::MaskReg> line_mask() const {
    if (problem_.pad == 0) return std::nullopt;
    const registers::PredicateReg exists = builder_.compare(hw::isa::Opcode::s_ltu, line_, std::int32_t(problem_.h));
    const registers::ScalarReg flag = builder_.constant(0);
    builder_.when(exists, false, [&] { builder_.set(flag, 1); });
    const registers::MaskReg mask = builder_.mask();
    builder_.assign_splat(mask, flag);
    return mask;
  }
  registers::LoopOptions options() const {
    return {registers::LoopSchedule::pipelined, {tile_.buffer, staged_.buffer}};
  }

  builder::KernelBuilder& builder_;
  const ConvolutionProblem& problem_;
  const ConvolutionTiling& tiling_;
  const ConvolutionPlan& plan_;
  const builder::MatrixOperand& tile_;
  const builder::KernelBuilder::VmemBuffer staged_;
  registers::ScalarReg line_, tile_base_;
};

/// Stages registers unchanged: 128 channels of 8 images or 8 pixels.
class ChannelStaging : public StagingWriter {
 public:
  ChannelStaging(builder::KernelBuilder& builder, const ConvolutionPlan& plan, const builder::MatrixOperand& tile,
                 registers::ScalarReg first_line, const builder::KernelBuilder::VmemBuffer& staged)
      : StagingWriter(builder, plan, tile, first_line, staged),
        phases_(std::int32_t(plan.staged().phases)),
        staged_base_(builder.constant(staged.row + std::int32_t(problem_.pad / phases_ * plan.staged().pixel_pitch))),
        channels_left_(builder.constant(std::int32_t(problem_.cin))),
        pixels_left_(builder.constant(std::int32_t(problem_.w))) {}

  void write() {
    const auto registers = std::int32_t(problem_.input_columns() * tiling_.groups);  // of a line
    const auto copied = std::int32_t(largest_divisor(registers, max_copied));
    const auto blocks = std::int32_t(problem_.input_blocks());
    const std::int32_t tile_rows = builder::rows_of_tile(problem_.packed);
    const StagedInput& staged = plan_.staged();
    const std::int32_t channels = has_partial_channels() ? builder::register_lanes : 0,
                       pixels = has_partial_pixels() ? copied * builder::register_rows : 0;
    const builder::Odometer place(
        builder_,
        {{std::int32_t(plan_.input_lines()),
          {registers * blocks * tile_rows, std::int32_t(staged.line_pitch), 1, 0, 0}},
         {blocks, {tile_rows, std::int32_t(staged.block_pitch), 0, -channels, 0}},
         {registers / copied, {copied * blocks * tile_rows, copied * staged_rows(), 0, 0, -pixels}}},
        {{tile_base_}, {staged_base_}, {line_}, {channels_left_}, {pixels_left_}});
    const registers::VectorReg lane = builder_.lane_numbers(), sublane = builder_.sublane_numbers();
    const std::vector<registers::MaskReg> of_phase = phase_masks(sublane);
    builder_.loop(place.trips(), options(), [&] {
      const std::optional<registers::MaskReg> inside = channel_mask(lane, line_mask());
      const registers::VectorReg pixels_left =
          has_partial_pixels() ? builder_.splat(pixels_left_) : registers::VectorReg{};
      for (std::int32_t i = 0; i < copied; ++i) {
        store(i, load(i * blocks * tile_rows, pixel_mask(sublane, pixels_left, i, inside)), of_phase);
      }
      place.advance();
    });
  }

 private:
  /// VMEM rows of a phase from a register to the next.
  std::int32_t staged_rows() const { return builder::register_rows / phases_; }

  /// Masks of the sublanes that go to each phase; empty if there is only one phase.
  std::vector<registers::MaskReg> phase_masks(registers::VectorReg sublane) const {
    std::vector<registers::MaskReg> masks;
    const registers::VectorReg parity = builder_.op(hw::isa::Opcode::v_and, sublane, registers::VectorOperand::bits(1));
    for (std::int32_t phase = 0; phase < phases_ && phases_ > 1; ++phase) {
      const auto first = std::int32_t((phase + problem_.pad) % 2);
      masks.push_back(builder_.compare(hw::isa::Opcode::v_eq_s32, parity, registers::VectorOperand::bits(first)));
    }
    return masks;
  }
  /// Returns true if the last block of channels does not fill its lanes.
  bool has_partial_channels() const { return problem_.cin % builder::register_lanes != 0; }
  std::optional<registers::MaskReg> channel_mask(registers::VectorReg lane,
                                                 std::optional<registers::MaskReg> outer) const {
    if (!has_partial_channels()) return outer;
    return builder_.compare(hw::isa::Opcode::v_lt_s32, lane, builder_.splat(channels_left_),
                            outer.value_or(registers::MaskReg{}));
  }
  /// Returns true if the last register of a line has sublanes beyond the line.
  bool has_partial_pixels() const { return !problem_.images_in_sublanes && problem_.w % builder::register_rows != 0; }
  std::optional<registers::MaskReg> pixel_mask(registers::VectorReg sublane, registers::VectorReg pixels_left,
                                               std::int32_t i, std::optional<registers::MaskReg> outer) const {
    if (!has_partial_pixels()) return outer;
    const registers::VectorReg left = builder_.op(hw::isa::Opcode::v_sub_s32, pixels_left,
                                                  registers::VectorOperand::bits(i * builder::register_rows));
    return builder_.compare(hw::isa::Opcode::v_lt_s32, sublane, left, outer.value_or(registers::MaskReg{}));
  }

  registers::VectorReg load(std::int32_t offset, std::optional<registers::MaskReg> mask) const {
    const registers::RowAddress from{tile_base_, offset, tile_.buffer};
    if (!problem_.packed) return builder_.load(from, mask.value_or(registers::MaskReg{}));
    const registers::VectorReg x = builder::load_packed(builder_, from);
    return mask ? builder_.op(hw::isa::Opcode::v_select, x, 0.0F, *mask) : x;
  }
  void store(std::int32_t i, registers::VectorReg x, const std::vector<registers::MaskReg>& of_phase) const {
    if (of_phase.empty()) return builder_.store({staged_base_, i * builder::register_rows, staged_.buffer}, x);
    for (std::int32_t phase = 0; phase < phases_; ++phase) {
      const auto offset = std::int32_t(phase * plan_.staged().phase_pitch) + i * staged_rows();
      builder_.store_shuffled({staged_base_, offset, staged_.buffer}, halved_rows(int(problem_.pad % 2)), x,
                              of_phase[std::size_t(phase)]);
    }
  }

  std::int32_t phases_;
  registers::ScalarReg staged_base_, channels_left_, pixels_left_;
};

/// Stages registers of 8 window positions, with the pixels of a line of the window in lanes. Clears pixels outside the
/// line.
class WindowStaging : public StagingWriter {
 public:
  WindowStaging(builder::KernelBuilder& builder, const ConvolutionPlan& plan, const builder::MatrixOperand& tile,
                registers::ScalarReg first_line, const builder::KernelBuilder::VmemBuffer& staged)
      : StagingWriter(builder, plan, tile, first_line, staged),
        staged_base_(builder.constant(staged.row)),
        first_pixel_(builder.constant(-std::int32_t(problem_.pad))) {}

  void write() {
    const auto registers = std::int32_t(problem_.output_columns());
    const auto copied = std::int32_t(largest_divisor(registers, max_copied));
    const auto stride = std::int32_t(problem_.stride);
    const std::int32_t rows = copied * builder::register_rows;
    const builder::Odometer place(builder_,
                                  {{std::int32_t(plan_.input_lines()),
                                    {std::int32_t(plan_.positions()), std::int32_t(plan_.staged().line_pitch), 1, 0}},
                                   {registers / copied, {rows, rows, 0, rows * stride}}},
                                  {{tile_base_}, {staged_base_}, {line_}, {first_pixel_}});
    const registers::VectorReg pixel = pixels();
    const registers::MaskReg channels = channel_mask();
    builder_.loop(place.trips(), options(), [&] {
      const std::optional<registers::MaskReg> line = line_mask();
      const registers::MaskReg inside = line ? builder_.mask_op(hw::isa::Opcode::m_and, channels, *line) : channels;
      const registers::VectorReg number = builder_.op(hw::isa::Opcode::v_add_s32, pixel, builder_.splat(first_pixel_));
      for (std::int32_t i = 0; i < copied; ++i) {
        const registers::VectorReg further = builder_.op(
            hw::isa::Opcode::v_add_s32, number, registers::VectorOperand::bits(i * builder::register_rows * stride));
        const registers::MaskReg mask = builder_.compare(
            hw::isa::Opcode::v_ltu_s32, further, registers::VectorOperand::bits(std::int32_t(problem_.w)), inside);
        builder_.store({staged_base_, i * builder::register_rows, staged_.buffer},
                       builder_.load({tile_base_, i * builder::register_rows, tile_.buffer}, mask));
      }
      place.advance();
    });
  }

 private:
  static constexpr auto tap_lanes = std::int32_t(ConvolutionProblem::tap_lanes);

  /// Pixel of each lane and sublane, relative to the first pixel of the first window position.
  registers::VectorReg pixels() const {
    const registers::VectorReg tap =
        builder_.op(hw::isa::Opcode::v_shr, builder_.lane_numbers(), registers::VectorOperand::bits(3));
    static_assert(tap_lanes == 1 << 3);
    const registers::VectorReg place = builder_.op(hw::isa::Opcode::v_mul_s32, builder_.sublane_numbers(),
                                                   registers::VectorOperand::bits(std::int32_t(problem_.stride)));
    return builder_.op(hw::isa::Opcode::v_add_s32, tap, place);
  }
  /// Mask of the lanes that hold a channel of a tap.
  registers::MaskReg channel_mask() const {
    const registers::VectorReg lane = builder_.lane_numbers();
    const registers::MaskReg taps = builder_.compare(
        hw::isa::Opcode::v_lt_s32, lane, registers::VectorOperand::bits(std::int32_t(problem_.kernel) * tap_lanes));
    const registers::VectorReg channel =
        builder_.op(hw::isa::Opcode::v_and, lane, registers::VectorOperand::bits(tap_lanes - 1));
    return builder_.compare(hw::isa::Opcode::v_lt_s32, channel,
                            registers::VectorOperand::bits(std::int32_t(problem_.cin)), taps);
  }

  registers::ScalarReg staged_base_, first_pixel_;
};

}  // namespace

void clear_staged_input(builder::KernelBuilder& builder, const ConvolutionPlan& plan,
                        const builder::KernelBuilder::VmemBuffer& staged) {
  constexpr auto rows = std::int32_t(staged_rows_unit);
  const registers::ScalarReg base = builder.constant(staged.row);
  const registers::VectorReg zero = builder.unary(hw::isa::Opcode::v_mov, 0.0F);
  const auto trips = std::int32_t(plan.staged().rows / rows);
  builder.loop(trips, {registers::LoopSchedule::pipelined, {staged.buffer}}, [&] {
    for (std::int32_t i = 0; i < rows; i += builder::register_rows) builder.store({base, i, staged.buffer}, zero);
    builder.assign(base, hw::isa::Opcode::s_add, base, rows);
  });
}

void write_staging(builder::KernelBuilder& builder, const ConvolutionPlan& plan, const builder::MatrixOperand& tile,
                   registers::ScalarReg first_line, const builder::KernelBuilder::VmemBuffer& staged) {
  if (plan.problem().line_in_lanes()) {
    WindowStaging(builder, plan, tile, first_line, staged).write();
  } else {
    ChannelStaging(builder, plan, tile, first_line, staged).write();
  }
}

}  // namespace podsim::sw::codegen::families::matrix
