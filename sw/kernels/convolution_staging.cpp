// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/convolution_staging.h"

#include <optional>

#include "sw/kernels/block_sizes.h"
#include "sw/kernels/odometer.h"
#include "sw/kernels/packed_tile.h"

namespace podsim::sw {

using hw::isa::Opcode;

namespace {

constexpr std::int32_t sublanes = 8;
constexpr std::int32_t lanes = 128;
/// Registers that an iteration copies at most.
constexpr std::int64_t most_copied = 16;

class StagingWriter {
 public:
  StagingWriter(KernelBuilder& builder, const ConvolutionPlan& plan, const MatrixOperand& tile, ScalarReg first_line,
                const KernelBuilder::VmemBuffer& staged)
      : builder_(builder),
        plan_(plan),
        problem_(plan.problem()),
        tile_(tile),
        staged_buffer_(staged.buffer),
        line_(first_line),
        tile_base_(builder.op(Opcode::s_add, tile.base, 0)),
        staged_base_(builder.constant(staged.row + std::int32_t(problem_.pad * plan.staged().pixel_pitch))),
        channels_left_(builder.constant(std::int32_t(problem_.cin))),
        pixels_left_(builder.constant(std::int32_t(problem_.w))) {}

  void write() {
    const auto registers = std::int32_t(problem_.input_columns() * plan_.cuts().groups);  // of a line
    const auto copied = std::int32_t(largest_divisor(registers, most_copied));
    const auto blocks = std::int32_t(problem_.input_blocks());
    const std::int32_t tile_rows = rows_of_tile(problem_.packed);
    const StagedInput& staged = plan_.staged();
    const Odometer place(
        builder_,
        {{std::int32_t(plan_.input_lines()),
          {registers * blocks * tile_rows, std::int32_t(staged.line_pitch), 1, 0, 0}},
         {blocks, {tile_rows, std::int32_t(staged.block_pitch), 0, -lanes, 0}},
         {registers / copied, {copied * blocks * tile_rows, copied * sublanes, 0, 0, -copied * sublanes}}},
        {{tile_base_}, {staged_base_}, {line_}, {channels_left_}, {pixels_left_}});
    const VectorReg lane = builder_.lane_numbers(), sublane = builder_.sublane_numbers();
    builder_.loop(place.trips(), {LoopSchedule::pipelined, {tile_.buffer, staged_buffer_}}, [&] {
      const std::optional<MaskReg> inside = channel_mask(lane, line_mask());
      for (std::int32_t i = 0; i < copied; ++i) copy(i, blocks * tile_rows, pixel_mask(sublane, i, inside));
      place.advance();
    });
  }

 private:
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
  std::optional<MaskReg> channel_mask(VectorReg lane, std::optional<MaskReg> outer) const {
    if (!problem_.channels_padded()) return outer;
    return builder_.compare(Opcode::v_lt_s32, lane, builder_.splat(channels_left_), outer.value_or(MaskReg{}));
  }
  std::optional<MaskReg> pixel_mask(VectorReg sublane, std::int32_t i, std::optional<MaskReg> outer) const {
    if (problem_.images_in_sublanes || problem_.w % sublanes == 0) return outer;
    const VectorReg left = builder_.splat(builder_.op(Opcode::s_sub, pixels_left_, i * sublanes));
    return builder_.compare(Opcode::v_lt_s32, sublane, left, outer.value_or(MaskReg{}));
  }

  void copy(std::int32_t i, std::int32_t pitch, std::optional<MaskReg> mask) const {
    const RowAddress from{tile_base_, i * pitch, tile_.buffer};
    VectorReg x;
    if (problem_.packed) {
      x = load_packed(builder_, from);
      if (mask) x = builder_.op(Opcode::v_select, x, 0.0F, *mask);
    } else {
      x = builder_.load(from, mask.value_or(MaskReg{}));
    }
    builder_.store({staged_base_, i * sublanes, staged_buffer_}, x);
  }

  KernelBuilder& builder_;
  const ConvolutionPlan& plan_;
  const ConvolutionProblem& problem_;
  const MatrixOperand& tile_;
  int staged_buffer_;
  ScalarReg line_, tile_base_, staged_base_, channels_left_, pixels_left_;
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
  StagingWriter(builder, plan, tile, first_line, staged).write();
}

}  // namespace podsim::sw
