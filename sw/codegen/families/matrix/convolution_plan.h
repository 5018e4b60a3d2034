// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hlo/graph.h"
#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/codegen/builder/matrix_pass.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/tile_plan.h"
#include "sw/target_machine.h"

namespace podsim::sw::codegen::families::matrix {

/// out[n, y, x, o] = sum over i, j, c of in[n, y * stride + i - pad, x * stride + j - pad, c] * weights[i, j, c, o],
/// with a square window and zeros around the input. A window may cover only zeros.
struct ConvolutionProblem {
  std::int64_t n = 0, h = 0, w = 0, cin = 0, cout = 0, kernel = 1, stride = 1, pad = 0;
  bool packed = false;  ///< arrays are bf16, otherwise f32
  /// The 8 sublanes of a register hold images, so that a window moves from register to register; or else pixels of a
  /// line, so that it moves along VMEM rows.
  bool images_in_sublanes = true;

  /// Size of the output; 0 if the window is larger than the padded input.
  std::int64_t out_h() const { return windows(h); }
  std::int64_t out_w() const { return windows(w); }
  bool output_empty() const { return n == 0 || out_h() == 0 || out_w() == 0 || cout == 0; }
  /// Returns true if all windows cover only zeros.
  bool image_empty() const { return h == 0 || w == 0; }
  std::int64_t output_blocks() const { return base::divide_round_up(cout, std::int64_t(builder::register_lanes)); }

  /// Returns true if the taps along a line of the window share the 128 lanes, 8 lanes each. That is possible with up to
  /// 8 channels; strided DMAs of 8 words move each tap to its lanes. It is not possible if two rows share a word, since
  /// they cannot be shifted relative to each other.
  bool line_in_lanes() const {
    return cin <= tap_lanes && kernel > 1 && kernel * tap_lanes <= builder::register_lanes && !packed &&
           !images_in_sublanes && 8 * input_columns() % stride == 0;
  }
  static constexpr std::int64_t tap_lanes = 8;
  /// Taps with separate weight tiles, and blocks of 128 input channels of a tap.
  std::int64_t taps() const { return line_in_lanes() ? kernel : kernel * kernel; }
  std::int64_t input_blocks() const { return base::divide_round_up(cin, std::int64_t(builder::register_lanes)); }
  std::int64_t contraction_steps() const { return taps() * input_blocks(); }
  /// Weight rows of a tap in HBM, 8 input channels each.
  std::int64_t weight_rows() const { return line_in_lanes() ? kernel : base::divide_round_up(cin, std::int64_t(8)); }
  /// Returns true if the weight rows of a tap do not fill whole weight tiles.
  bool weights_padded() const { return weight_rows() % 16 != 0 || cin % 8 != 0; }

  /// Number of groups of 8 images if images are in sublanes, else of images. All groups are computed alike.
  std::int64_t groups() const {
    return images_in_sublanes ? base::divide_round_up(n, std::int64_t(builder::register_rows)) : n;
  }
  /// Registers of a line of the input, and of the output.
  std::int64_t input_columns() const { return columns(w); }
  std::int64_t output_columns() const { return columns(out_w()); }

 private:
  std::int64_t windows(std::int64_t size) const {
    const std::int64_t padded = size + 2 * pad;
    return padded < kernel ? 0 : (padded - kernel) / stride + 1;
  }
  std::int64_t columns(std::int64_t pixels) const {
    return images_in_sublanes ? pixels : base::divide_round_up(pixels, std::int64_t(builder::register_rows));
  }
};

/// HBM word addresses.
struct ConvolutionAddresses {
  std::uint32_t input = 0, weights = 0, output = 0;
};

/// Tiling of a convolution. A tile has `lines` lines of the output, `groups` groups of images (one if pixels are in
/// sublanes) and `channels` blocks of 128 output channels. In a tile, patches of `patch_lines` x `patch_columns` x
/// `patch_groups` registers of the output stream past each weight tile.
struct ConvolutionTiling {
  std::int64_t channels = 1, groups = 1, lines = 1;
  std::int64_t patch_lines = 1, patch_columns = 1, patch_groups = 1;
  builder::MatrixUnitGrid grid;
  std::int64_t patch() const { return patch_lines * patch_columns * patch_groups; }
};

/// Layout of the LHS registers in VMEM: input lines in f32 with the zeros around them, by blocks of 128 channels. With
/// stride 2, even and odd pixels are stored separately, as two phases, so that a register of every second pixel is
/// consecutive rows. Pitches are distances in VMEM rows from one item to the next.
struct StagedInput {
  std::int64_t lines = 0;         ///< number of lines that a tile needs
  std::int64_t pixel_pitch = 0;   ///< between pixels of a phase
  std::int64_t column_pitch = 0;  ///< between registers of the output along a line
  std::int64_t phases = 1, phase_pitch = 0;
  std::int64_t line_pitch = 0, block_pitch = 0;
  std::int32_t sublane_stride = 1;
  std::int64_t rows = 0;  ///< VMEM rows of all blocks, rounded up to staged_rows_unit
};

/// VMEM rows that are cleared at a time.
inline constexpr std::int64_t staged_rows_unit = 64;

class ConvolutionPlan {
 public:
  /// Plans a problem, which must have output elements and input channels. If the input has no pixels, the plan has no
  /// input stream.
  ConvolutionPlan(const ConvolutionProblem& problem, const ConvolutionTiling& tiling,
                  const ConvolutionAddresses& addresses);
  /// Returns true if a single 2-D DMA can move each of a tile's arrays.
  static bool movable(const ConvolutionProblem& problem, const ConvolutionTiling& tiling);

  const ConvolutionProblem& problem() const { return problem_; }
  const ConvolutionTiling& tiling() const { return tiling_; }
  const builder::TilePlan& tiles() const { return tiles_; }
  const StagedInput& staged() const { return staged_; }

  static constexpr int channel_dimension = 0, group_dimension = 1, line_dimension = 2;
  static constexpr int output = 0, weights = 1, input = 2;

  /// Lines of the input that a tile reads, before clipping to the input.
  std::int64_t input_lines() const { return (tiling_.lines - 1) * problem_.stride + problem_.kernel; }
  /// Lines and channel blocks of the output in VMEM, padded to whole patches and equal shares of the units.
  std::int64_t padded_lines() const { return base::round_up(tiling_.lines, tiling_.patch_lines); }
  std::int64_t padded_channels() const {
    return base::round_up(tiling_.channels, std::int64_t(tiling_.grid.column_units));
  }
  /// Registers of a tile's output, and VMEM rows of their f32 sums if those are not in the output itself.
  std::int64_t output_registers() const {
    return padded_lines() * problem_.output_columns() * tiling_.groups * padded_channels();
  }
  std::int64_t sum_rows() const { return problem_.packed ? 8 * output_registers() : 0; }
  /// Steps of the matrix pass along the lines, in the last tile or in others.
  std::int64_t line_steps(bool last) const;
  /// Input lines of a tile, counted in lines; the input stream has several rows per line.
  builder::TileWindow line_window() const;
  /// Offset of the LHS of each contraction step from that of the first, in VMEM rows.
  std::vector<std::int32_t> step_offsets() const;
  /// If a line of the window is in lanes: VMEM rows of an input line, one for each window position.
  std::int64_t positions() const { return 8 * problem_.input_columns() / problem_.stride; }

  hw::TileOp tile_op(const std::string& name) const;

 private:
  std::vector<hw::TilePhase> phases(std::span<const std::int64_t> indices) const;

  ConvolutionProblem problem_;
  ConvolutionTiling tiling_;
  StagedInput staged_;
  builder::TilePlan tiles_;
};

struct PricedConvolution {
  ConvolutionPlan plan;
  base::Cycles cycles;  ///< the tile level's estimate, plus the latency of a read and a write per tile
};
/// The problem as a program: parameters input and weights, in the layouts of the kernel's arrays.
hlo::Module convolution_op(const ConvolutionProblem& problem);

/// Returns the cheapest plan of those with as many blocks of rows and of output channels as the compiler makes of
/// convolution_op() in a run, or with the next more rows; std::nullopt if none fits VMEM. A plan keeps the whole
/// contraction in VMEM, so that tilings of the compiler that divide it are left out.
std::optional<PricedConvolution> compiled_convolution(const TargetMachine& machine, const ConvolutionProblem& problem,
                                                      const ConvolutionAddresses& addresses);

}  // namespace podsim::sw::codegen::families::matrix
