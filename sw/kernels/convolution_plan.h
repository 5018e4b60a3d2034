// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/kernels/matrix_pass.h"
#include "sw/kernels/tile_plan.h"

namespace podsim::sw {

/// out[n, y, x, o] = sum over i, j, c of in[n, y * stride + i - pad, x * stride + j - pad, c] * weights[i, j, c, o],
/// with a square window and zeros around the input, which may be all that a window meets.
struct ConvolutionProblem {
  std::int64_t n = 0, h = 0, w = 0, cin = 0, cout = 0, kernel = 1, stride = 1, pad = 0;
  bool packed = false;  ///< arrays are bf16, otherwise f32
  /// What the 8 sublanes of a register are: images, so that a window moves from register to register, or else pixels of
  /// a line, so that it moves along VMEM rows.
  bool images_in_sublanes = true;

  /// None where the window is larger than the input with its zeros.
  std::int64_t out_h() const { return windows(h); }
  std::int64_t out_w() const { return windows(w); }
  bool output_empty() const { return n == 0 || out_h() == 0 || out_w() == 0 || cout == 0; }
  /// Whether windows meet zeros only.
  bool image_empty() const { return h == 0 || w == 0; }
  std::int64_t output_blocks() const { return base::divide_round_up(cout, std::int64_t(128)); }

  /// With up to 8 channels, the taps along a line of the window share the 128 lanes, 8 each: strided DMAs of 8 words
  /// put each where it belongs. Not where two rows share a word, as they cannot be shifted against each other.
  bool line_in_lanes() const {
    return cin <= tap_lanes && kernel > 1 && kernel * tap_lanes <= 128 && !packed && !images_in_sublanes &&
           8 * input_columns() % stride == 0;
  }
  static constexpr std::int64_t tap_lanes = 8;
  /// Of which each takes weight tiles of its own, and blocks of 128 input channels of one.
  std::int64_t taps() const { return line_in_lanes() ? kernel : kernel * kernel; }
  std::int64_t input_blocks() const { return base::divide_round_up(cin, std::int64_t(128)); }
  std::int64_t contraction_steps() const { return taps() * input_blocks(); }
  /// Weight rows of a tap in HBM, 8 input channels each.
  std::int64_t weight_rows() const { return line_in_lanes() ? kernel : base::divide_round_up(cin, std::int64_t(8)); }
  /// Whether they do not fill weight tiles of 128.
  bool weights_padded() const { return weight_rows() % 16 != 0 || cin % 8 != 0; }

  /// Blocks that are computed alike beside each other: of 8 images, or images.
  std::int64_t groups() const { return images_in_sublanes ? base::divide_round_up(n, std::int64_t(8)) : n; }
  /// Registers of a line of the input and the output.
  std::int64_t input_columns() const { return columns(w); }
  std::int64_t output_columns() const { return columns(out_w()); }

 private:
  std::int64_t windows(std::int64_t size) const {
    const std::int64_t padded = size + 2 * pad;
    return padded < kernel ? 0 : (padded - kernel) / stride + 1;
  }
  std::int64_t columns(std::int64_t pixels) const {
    return images_in_sublanes ? pixels : base::divide_round_up(pixels, std::int64_t(8));
  }
};

/// HBM word addresses.
struct ConvolutionAddresses {
  std::uint32_t input = 0, weights = 0, output = 0;
};

/// How a convolution is cut: tiles of `lines` lines of the output, of `groups` groups of images (one if pixels are in
/// sublanes) and `channels` blocks of 128 output channels. In a tile, the registers of `patch_lines` x `patch_columns`
/// x `patch_groups` of the output stream past each weight tile.
struct ConvolutionCuts {
  std::int64_t channels = 1, groups = 1, lines = 1;
  std::int64_t patch_lines = 1, patch_columns = 1, patch_groups = 1;
  MatrixUnitGrid grid;
  std::int64_t patch() const { return patch_lines * patch_columns * patch_groups; }
};

/// Where LHS registers are in VMEM: input lines in f32 with the zeros around them, by blocks of 128 channels. With two
/// pixels from window to window, pixels with even and odd numbers are apart, so that registers of every second one are
/// rows one after the other. Pitches are in VMEM rows, from one to the next.
struct StagedInput {
  std::int64_t lines = 0;         ///< that a tile needs
  std::int64_t pixel_pitch = 0;   ///< pixels of a phase
  std::int64_t column_pitch = 0;  ///< registers of the output along a line
  std::int64_t phases = 1, phase_pitch = 0;
  std::int64_t line_pitch = 0, block_pitch = 0;
  std::int32_t sublane_stride = 1;
  std::int64_t rows = 0;  ///< all blocks, rounded up to staged_rows_unit
};

/// VMEM rows that are cleared at a time.
inline constexpr std::int64_t staged_rows_unit = 64;

class ConvolutionPlan {
 public:
  /// Of a problem with an output and input channels. Without pixels there is no input stream.
  ConvolutionPlan(const ConvolutionProblem& problem, const ConvolutionCuts& cuts,
                  const ConvolutionAddresses& addresses);
  /// Whether one 2-D DMA can move each of a tile's arrays.
  static bool movable(const ConvolutionProblem& problem, const ConvolutionCuts& cuts);

  const ConvolutionProblem& problem() const { return problem_; }
  const ConvolutionCuts& cuts() const { return cuts_; }
  const TilePlan& tiles() const { return tiles_; }
  const StagedInput& staged() const { return staged_; }

  static constexpr int channel_dimension = 0, group_dimension = 1, line_dimension = 2;
  static constexpr int output = 0, weights = 1, input = 2;

  /// Lines of the input that a tile reads, where there are so many.
  std::int64_t input_lines() const { return (cuts_.lines - 1) * problem_.stride + problem_.kernel; }
  /// Of the output in VMEM, padded to whole patches and equal shares of the units.
  std::int64_t padded_lines() const { return base::round_up(cuts_.lines, cuts_.patch_lines); }
  std::int64_t padded_channels() const { return base::round_up(cuts_.channels, std::int64_t(cuts_.grid.column_units)); }
  /// Registers of the output of a tile, and VMEM rows of their f32 sums where those are not in the output.
  std::int64_t output_registers() const {
    return padded_lines() * problem_.output_columns() * cuts_.groups * padded_channels();
  }
  std::int64_t sum_rows() const { return problem_.packed ? 8 * output_registers() : 0; }
  /// Steps of the matrix pass along the lines, in the last tile or another.
  std::int64_t line_steps(bool last) const;
  /// Which input lines a tile has, in lines; the input stream's rows are several for each.
  TileWindow line_window() const;
  /// Where the LHS of each contraction step is, in VMEM rows from the first one's.
  std::vector<std::int32_t> step_offsets() const;
  /// With a line of the window in lanes: VMEM rows, one for each place of the window, of an input line.
  std::int64_t places() const { return 8 * problem_.input_columns() / problem_.stride; }

  hw::TileOp tile_op(const std::string& name) const;

 private:
  std::vector<hw::TilePhase> phases(std::span<const std::int64_t> indices) const;

  ConvolutionProblem problem_;
  ConvolutionCuts cuts_;
  StagedInput staged_;
  TilePlan tiles_;
};

struct PricedConvolution {
  ConvolutionPlan plan;
  base::Cycles cycles;  ///< by the tile level's estimate, each tile charged the latency of a read and a write besides
};
/// The cheapest plan; nothing if none fits VMEM.
std::optional<PricedConvolution> cheapest_convolution(const hw::Machine& machine, const ConvolutionProblem& problem,
                                                      const ConvolutionAddresses& addresses);

}  // namespace podsim::sw
