// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/convolution_staging.h"

#include <array>
#include <optional>
#include <vector>

#include "sw/kernels/block_sizes.h"
#include "sw/kernels/odometer.h"
#include "sw/kernels/packed_tile.h"

namespace podsim::sw {

using hw::isa::Opcode;

namespace {

constexpr std::int32_t sublanes = 8;
constexpr std::int32_t lanes = 128;
/// Registers that an iteration copies at most.
constexpr std::int64_t most_copied = 48;

/// The rows of a register's sublanes in two phases: i goes to row (first + i) / 2 of phase (first + i) % 2.
constexpr std::uint32_t halved_rows(int first) {
  std::uint32_t nibbles = 0;
  for (int i = 0; i < sublanes; ++i) nibbles |= std::uint32_t((first + i) / 2) << (4 * i);
  return nibbles;
}

/// What both ways of staging share: the lines of a tile, one after the other.
class StagingWriter {
 public:
  StagingWriter(KernelBuilder& builder, const ConvolutionPlan& plan, const MatrixOperand& tile, ScalarReg first_line,
                const KernelBuilder::VmemBuffer& staged)
      : builder_(builder),
        problem_(plan.problem()),
        cuts_(plan.cuts()),
        plan_(plan),
        tile_(tile),
        staged_(staged),
        line_(builder.op(Opcode::s_add, first_line, 0)),
        tile_base_(builder.op(Opcode::s_add, tile.base, 0)) {}

 protected:
  /// Where the input has this line: nowhere or everywhere.
  std::optional<MaskReg> line_mask() const {
    if (problem_.pad == 0) return std::nullopt;
    const PredicateReg exists = builder_.compare(Opcode::s_ltu, line_, std::int32_t(problem_.h));
    const ScalarReg flag = builder_.constant(0);
    builder_.when(exists, false, [&] { builder_.set(flag, 1); });
    const MaskReg mask = builder_.mask();
    builder_.assign_splat(mask, flag);
    return mask;
  }
  LoopOptions options() const { return {LoopSchedule::pipelined, {tile_.buffer, staged_.buffer}}; }

  KernelBuilder& builder_;
  const ConvolutionProblem& problem_;
  const ConvolutionCuts& cuts_;
  const ConvolutionPlan& plan_;
  const MatrixOperand& tile_;
  const KernelBuilder::VmemBuffer staged_;
  ScalarReg line_, tile_base_;
};

/// Registers as they are, 128 channels of 8 images or 8 pixels.
class ChannelStaging : public StagingWriter {
 public:
  ChannelStaging(KernelBuilder& builder, const ConvolutionPlan& plan, const MatrixOperand& tile, ScalarReg first_line,
                 const KernelBuilder::VmemBuffer& staged)
      : StagingWriter(builder, plan, tile, first_line, staged),
        phases_(std::int32_t(plan.staged().phases)),
        staged_base_(builder.constant(staged.row + std::int32_t(problem_.pad / phases_ * plan.staged().pixel_pitch))),
        channels_left_(builder.constant(std::int32_t(problem_.cin))),
        pixels_left_(builder.constant(std::int32_t(problem_.w))) {}

  void write() {
    const auto registers = std::int32_t(problem_.input_columns() * cuts_.groups);  // of a line
    const auto copied = std::int32_t(largest_divisor(registers, most_copied));
    const auto blocks = std::int32_t(problem_.input_blocks());
    const std::int32_t tile_rows = rows_of_tile(problem_.packed);
    const StagedInput& staged = plan_.staged();
    const std::int32_t channels = cuts_channels() ? lanes : 0, pixels = cuts_pixels() ? copied * sublanes : 0;
    const Odometer place(builder_,
                         {{std::int32_t(plan_.input_lines()),
                           {registers * blocks * tile_rows, std::int32_t(staged.line_pitch), 1, 0, 0}},
                          {blocks, {tile_rows, std::int32_t(staged.block_pitch), 0, -channels, 0}},
                          {registers / copied, {copied * blocks * tile_rows, copied * staged_rows(), 0, 0, -pixels}}},
                         {{tile_base_}, {staged_base_}, {line_}, {channels_left_}, {pixels_left_}});
    const VectorReg lane = builder_.lane_numbers(), sublane = builder_.sublane_numbers();
    const std::vector<MaskReg> of_phase = phase_masks(sublane);
    builder_.loop(place.trips(), options(), [&] {
      const std::optional<MaskReg> inside = channel_mask(lane, line_mask());
      const VectorReg pixels_left = cuts_pixels() ? builder_.splat(pixels_left_) : VectorReg{};
      for (std::int32_t i = 0; i < copied; ++i) {
        store(i, load(i * blocks * tile_rows, pixel_mask(sublane, pixels_left, i, inside)), of_phase);
      }
      place.advance();
    });
  }

 private:
  /// VMEM rows of a phase from one register to the next.
  std::int32_t staged_rows() const { return sublanes / phases_; }

  /// Sublanes that go to each phase, where there are two.
  std::vector<MaskReg> phase_masks(VectorReg sublane) const {
    std::vector<MaskReg> masks;
    const VectorReg parity = builder_.op(Opcode::v_and, sublane, VectorOperand::bits(1));
    for (std::int32_t phase = 0; phase < phases_ && phases_ > 1; ++phase) {
      const auto first = std::int32_t((phase + problem_.pad) % 2);
      masks.push_back(builder_.compare(Opcode::v_eq_s32, parity, VectorOperand::bits(first)));
    }
    return masks;
  }
  /// Whether the last block of channels has lanes beyond them.
  bool cuts_channels() const { return problem_.cin % lanes != 0; }
  std::optional<MaskReg> channel_mask(VectorReg lane, std::optional<MaskReg> outer) const {
    if (!cuts_channels()) return outer;
    return builder_.compare(Opcode::v_lt_s32, lane, builder_.splat(channels_left_), outer.value_or(MaskReg{}));
  }
  /// Whether the last register of a line has pixels beyond it.
  bool cuts_pixels() const { return !problem_.images_in_sublanes && problem_.w % sublanes != 0; }
  std::optional<MaskReg> pixel_mask(VectorReg sublane, VectorReg pixels_left, std::int32_t i,
                                    std::optional<MaskReg> outer) const {
    if (!cuts_pixels()) return outer;
    const VectorReg left = builder_.op(Opcode::v_sub_s32, pixels_left, VectorOperand::bits(i * sublanes));
    return builder_.compare(Opcode::v_lt_s32, sublane, left, outer.value_or(MaskReg{}));
  }

  VectorReg load(std::int32_t offset, std::optional<MaskReg> mask) const {
    const RowAddress from{tile_base_, offset, tile_.buffer};
    if (!problem_.packed) return builder_.load(from, mask.value_or(MaskReg{}));
    const VectorReg x = load_packed(builder_, from);
    return mask ? builder_.op(Opcode::v_select, x, 0.0F, *mask) : x;
  }
  void store(std::int32_t i, VectorReg x, const std::vector<MaskReg>& of_phase) const {
    if (of_phase.empty()) return builder_.store({staged_base_, i * sublanes, staged_.buffer}, x);
    for (std::int32_t phase = 0; phase < phases_; ++phase) {
      const auto offset = std::int32_t(phase * plan_.staged().phase_pitch) + i * staged_rows();
      builder_.store_shuffled({staged_base_, offset, staged_.buffer}, halved_rows(int(problem_.pad % 2)), x,
                              of_phase[std::size_t(phase)]);
    }
  }

  std::int32_t phases_;
  ScalarReg staged_base_, channels_left_, pixels_left_;
};

/// 8 places of the window, with the pixels of a line of it in lanes: what lies beside the line is made zero.
class WindowStaging : public StagingWriter {
 public:
  WindowStaging(KernelBuilder& builder, const ConvolutionPlan& plan, const MatrixOperand& tile, ScalarReg first_line,
                const KernelBuilder::VmemBuffer& staged)
      : StagingWriter(builder, plan, tile, first_line, staged),
        staged_base_(builder.constant(staged.row)),
        first_pixel_(builder.constant(-std::int32_t(problem_.pad))) {}

  void write() {
    const auto registers = std::int32_t(problem_.output_columns());
    const auto copied = std::int32_t(largest_divisor(registers, most_copied));
    const auto stride = std::int32_t(problem_.stride);
    const std::int32_t rows = copied * sublanes;
    const Odometer place(builder_,
                         {{std::int32_t(plan_.input_lines()),
                           {std::int32_t(plan_.places()), std::int32_t(plan_.staged().line_pitch), 1, 0}},
                          {registers / copied, {rows, rows, 0, rows * stride}}},
                         {{tile_base_}, {staged_base_}, {line_}, {first_pixel_}});
    const VectorReg pixel = pixels();
    const MaskReg channels = channel_mask();
    builder_.loop(place.trips(), options(), [&] {
      const std::optional<MaskReg> line = line_mask();
      const MaskReg inside = line ? builder_.mask_op(Opcode::m_and, channels, *line) : channels;
      const VectorReg number = builder_.op(Opcode::v_add_s32, pixel, builder_.splat(first_pixel_));
      for (std::int32_t i = 0; i < copied; ++i) {
        const VectorReg further = builder_.op(Opcode::v_add_s32, number, VectorOperand::bits(i * sublanes * stride));
        const MaskReg mask =
            builder_.compare(Opcode::v_ltu_s32, further, VectorOperand::bits(std::int32_t(problem_.w)), inside);
        builder_.store({staged_base_, i * sublanes, staged_.buffer},
                       builder_.load({tile_base_, i * sublanes, tile_.buffer}, mask));
      }
      place.advance();
    });
  }

 private:
  static constexpr auto tap_lanes = std::int32_t(ConvolutionProblem::tap_lanes);

  /// Of each lane and sublane, counted from the first place's first.
  VectorReg pixels() const {
    const VectorReg tap = builder_.op(Opcode::v_shr, builder_.lane_numbers(), VectorOperand::bits(3));
    static_assert(tap_lanes == 1 << 3);
    const VectorReg place =
        builder_.op(Opcode::v_mul_s32, builder_.sublane_numbers(), VectorOperand::bits(std::int32_t(problem_.stride)));
    return builder_.op(Opcode::v_add_s32, tap, place);
  }
  /// Lanes that hold a channel of a tap.
  MaskReg channel_mask() const {
    const VectorReg lane = builder_.lane_numbers();
    const MaskReg taps =
        builder_.compare(Opcode::v_lt_s32, lane, VectorOperand::bits(std::int32_t(problem_.kernel) * tap_lanes));
    const VectorReg channel = builder_.op(Opcode::v_and, lane, VectorOperand::bits(tap_lanes - 1));
    return builder_.compare(Opcode::v_lt_s32, channel, VectorOperand::bits(std::int32_t(problem_.cin)), taps);
  }

  ScalarReg staged_base_, first_pixel_;
};

}  // namespace

void clear_staged_input(KernelBuilder& builder, const ConvolutionPlan& plan, const KernelBuilder::VmemBuffer& staged) {
  constexpr auto rows = std::int32_t(staged_rows_unit);
  const ScalarReg base = builder.constant(staged.row);
  const VectorReg zero = builder.unary(Opcode::v_mov, 0.0F);
  const auto trips = std::int32_t(plan.staged().rows / rows);
  builder.loop(trips, {LoopSchedule::pipelined, {staged.buffer}}, [&] {
    for (std::int32_t i = 0; i < rows; i += sublanes) builder.store({base, i, staged.buffer}, zero);
    builder.assign(base, Opcode::s_add, base, rows);
  });
}

void write_staging(KernelBuilder& builder, const ConvolutionPlan& plan, const MatrixOperand& tile, ScalarReg first_line,
                   const KernelBuilder::VmemBuffer& staged) {
  if (plan.problem().line_in_lanes()) {
    WindowStaging(builder, plan, tile, first_line, staged).write();
  } else {
    ChannelStaging(builder, plan, tile, first_line, staged).write();
  }
}

}  // namespace podsim::sw
