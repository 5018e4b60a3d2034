// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/convolution_plan.h"

#include <algorithm>

#include "sw/kernels/packed_tile.h"

namespace podsim::sw {

using base::divide_round_up;
using base::round_up;

namespace {

constexpr std::int64_t weight_registers = 16;
constexpr std::int64_t words_per_row = 128;
constexpr std::int64_t sublanes = 8;

/// Pitches along a line; of `line`, a whole one.
void lay_out_images(const ConvolutionProblem& problem, const ConvolutionCuts& cuts, StagedInput& staged) {
  staged.pixel_pitch = sublanes * cuts.groups;
  staged.column_pitch = problem.stride * staged.pixel_pitch;
  const std::int64_t touched = (problem.out_w() - 1) * problem.stride + problem.kernel;
  staged.line_pitch = std::max(touched, problem.pad + problem.w) * staged.pixel_pitch;
}

void lay_out_pixels(const ConvolutionProblem& problem, StagedInput& staged) {
  staged.pixel_pitch = 1;
  if (problem.line_in_lanes()) {
    staged.column_pitch = sublanes;
    staged.line_pitch = sublanes * problem.output_columns();
    return;
  }
  staged.phases = problem.stride == 2 ? 2 : 1;
  const std::int64_t stride = problem.stride / staged.phases;  // within a phase
  staged.sublane_stride = std::int32_t(stride);
  staged.column_pitch = sublanes * stride;
  // A phase takes every pixel that a window touches, and all that registers of the input bring behind the left zeros.
  const std::int64_t touched =
      (sublanes * problem.output_columns() - 1) * stride + divide_round_up(problem.kernel, staged.phases);
  const std::int64_t copied = divide_round_up(problem.pad + sublanes * problem.input_columns(), staged.phases) + 1;
  staged.phase_pitch = std::max(touched, copied);
  staged.line_pitch = staged.phases * staged.phase_pitch;
}

StagedInput staged_input(const ConvolutionProblem& problem, const ConvolutionCuts& cuts) {
  StagedInput staged;
  staged.lines = (round_up(cuts.lines, cuts.patch_lines) - 1) * problem.stride + problem.kernel;
  problem.images_in_sublanes ? lay_out_images(problem, cuts, staged) : lay_out_pixels(problem, staged);
  staged.block_pitch = round_up(staged.lines * staged.line_pitch, sublanes);
  staged.rows = round_up(staged.block_pitch * problem.input_blocks(), staged_rows_unit);
  return staged;
}

/// Makes the streams of a plan.
class StreamMaker {
 public:
  explicit StreamMaker(const ConvolutionPlan& plan, const ConvolutionAddresses& addresses)
      : plan_(plan), problem_(plan.problem()), cuts_(plan.cuts()), addresses_(addresses) {}

  TileStream input() const {
    const std::int64_t columns = problem_.input_columns(), blocks = problem_.input_blocks();
    TileStream stream = array("input", TileRole::input, addresses_.input);
    stream.rows = lines_of(columns);
    if (problem_.images_in_sublanes) {
      pixels(stream, problem_.groups() * blocks, cuts_.groups * blocks);
    } else {
      stream.words = TileWindow::whole(blocks * tile_words());
      stream.hbm_stride = stream.vmem_stride = blocks * tile_words();
      stream.steps = {0, problem_.h * columns * blocks * tile_words(), 0};
    }
    stream.vmem_rows = plan_.input_lines() * columns * cuts_.groups * blocks * tile_rows();
    return stream;
  }

  /// A line of the window in lanes: a piece for each tap, which brings the pixels that meet it. Place i of line y has
  /// pixel i * stride + tap - pad, where that is one of the line; otherwise it has what comes before or behind.
  TileStream windows() const {
    TileStream stream = array("input", TileRole::input, addresses_.input);
    stream.rows = lines_of(plan_.places());
    stream.words = TileWindow::whole(ConvolutionProblem::tap_lanes);
    stream.hbm_stride = problem_.stride * words_per_row;
    stream.vmem_stride = words_per_row;
    stream.steps = {0, problem_.h * problem_.input_columns() * tile_words(), 0};
    stream.vmem_rows = plan_.input_lines() * plan_.places() + plan_.staged().line_pitch + problem_.kernel;
    stream.pieces.clear();
    for (std::int64_t tap = 0; tap < problem_.kernel; ++tap) {
      const std::int64_t shift = tap - problem_.pad;
      const std::int64_t places_before = shift < 0 ? divide_round_up(-shift, problem_.stride) : 0;
      stream.pieces.push_back({(shift + places_before * problem_.stride) * words_per_row,
                               places_before * words_per_row + tap * ConvolutionProblem::tap_lanes});
    }
    return stream;
  }

  TileStream weights() const {
    const std::int64_t taps = problem_.taps();
    TileStream stream = array("weights", TileRole::input, addresses_.weights);
    if (problem_.weights_padded()) {  // a tap takes more rows in VMEM than in HBM
      const std::int64_t tap = problem_.weight_rows() * problem_.output_blocks() * tile_words();
      stream.rows = TileWindow::whole(taps);
      stream.words = TileWindow::whole(tap);
      stream.hbm_stride = tap;
      stream.vmem_stride = problem_.input_blocks() * weight_registers * plan_.padded_channels() * tile_words();
    } else {
      stream.rows = TileWindow::whole(taps * problem_.weight_rows());
      channels(stream);
    }
    stream.vmem_rows = taps * problem_.input_blocks() * weight_registers * plan_.padded_channels() * tile_rows();
    return stream;
  }

  TileStream output() const {
    const std::int64_t columns = problem_.output_columns();
    TileStream stream = array("output", TileRole::output, addresses_.output);
    const auto lines = [&](std::int64_t per_line) {
      return TileWindow::cut(ConvolutionPlan::line_dimension, cuts_.lines * per_line, problem_.out_h() * per_line);
    };
    if (!problem_.images_in_sublanes) {
      stream.rows = lines(columns);
      channels(stream);
      stream.steps = {0, problem_.out_h() * columns * problem_.output_blocks() * tile_words(), 0};
    } else if (cuts_.groups == problem_.groups()) {
      stream.rows = lines(columns * problem_.groups());
      channels(stream);
    } else {
      stream.rows = lines(columns);
      pixels(stream, problem_.groups() * problem_.output_blocks(), cuts_.groups * problem_.output_blocks());
    }
    stream.vmem_rows = plan_.output_registers() * tile_rows();
    return stream;
  }

 private:
  std::int64_t tile_rows() const { return rows_of_tile(problem_.packed); }
  std::int64_t tile_words() const { return tile_rows() * words_per_row; }
  static TileStream array(const char* name, TileRole role, std::uint32_t address) {
    TileStream stream;
    stream.name = name;
    stream.role = role;
    stream.address = address;
    return stream;
  }
  /// The tile's input lines of `per_line` DMA rows.
  TileWindow lines_of(std::int64_t per_line) const {
    const TileWindow lines = plan_.line_window();
    return {lines.dimension, lines.step * per_line, lines.length * per_line, lines.before * per_line,
            lines.total * per_line};
  }
  /// DMA rows of all channels of the tile's groups.
  void pixels(TileStream& stream, std::int64_t tiles, std::int64_t tiles_of_block) const {
    stream.words =
        TileWindow::cut(ConvolutionPlan::group_dimension, tiles_of_block * tile_words(), tiles * tile_words());
    stream.hbm_stride = tiles * tile_words();
    stream.vmem_stride = tiles_of_block * tile_words();
  }
  /// DMA rows of the tile's output channels.
  void channels(TileStream& stream) const {
    stream.words = TileWindow::cut(ConvolutionPlan::channel_dimension, cuts_.channels * tile_words(),
                                   problem_.output_blocks() * tile_words());
    stream.hbm_stride = problem_.output_blocks() * tile_words();
    stream.vmem_stride = plan_.padded_channels() * tile_words();
  }

  const ConvolutionPlan& plan_;
  const ConvolutionProblem& problem_;
  const ConvolutionCuts& cuts_;
  const ConvolutionAddresses& addresses_;
};

}  // namespace

ConvolutionPlan::ConvolutionPlan(const ConvolutionProblem& problem, const ConvolutionCuts& cuts,
                                 const ConvolutionAddresses& addresses)
    : problem_(problem), cuts_(cuts), staged_(staged_input(problem, cuts)) {
  tiles_.counts = {divide_round_up(problem.output_blocks(), cuts.channels),
                   divide_round_up(problem.groups(), cuts.groups), divide_round_up(problem.out_h(), cuts.lines)};
  const StreamMaker make(*this, addresses);
  tiles_.streams = {make.output(), make.weights()};
  if (!problem.image_empty()) tiles_.streams.push_back(problem.line_in_lanes() ? make.windows() : make.input());
  tiles_.scratch_rows = staged_.rows + sum_rows();
}

bool ConvolutionPlan::movable(const ConvolutionProblem& problem, const ConvolutionCuts& cuts) {
  const bool all_channels = cuts.channels == problem.output_blocks() && cuts.channels % cuts.grid.column_units == 0;
  if (problem.weights_padded() && !all_channels) return false;
  return all_channels || !problem.images_in_sublanes || cuts.groups == problem.groups();
}

std::int64_t ConvolutionPlan::line_steps(bool last) const {
  const std::int64_t lines = last ? problem_.out_h() - (tiles_.counts[line_dimension] - 1) * cuts_.lines : cuts_.lines;
  return divide_round_up(lines, cuts_.patch_lines);
}

TileWindow ConvolutionPlan::line_window() const {
  return {line_dimension, cuts_.lines * problem_.stride, input_lines(), problem_.pad, problem_.h};
}

std::vector<std::int32_t> ConvolutionPlan::step_offsets() const {
  std::vector<std::int32_t> offsets;
  const std::int64_t columns = problem_.line_in_lanes() ? 1 : problem_.kernel;
  for (std::int64_t line = 0; line < problem_.kernel; ++line) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t tap = line * staged_.line_pitch + column % staged_.phases * staged_.phase_pitch +
                               column / staged_.phases * staged_.pixel_pitch;
      for (std::int64_t block = 0; block < problem_.input_blocks(); ++block) {
        offsets.push_back(std::int32_t(tap + block * staged_.block_pitch));
      }
    }
  }
  return offsets;
}

std::vector<hw::TilePhase> ConvolutionPlan::phases(std::span<const std::int64_t> indices) const {
  const bool last = indices[line_dimension] == tiles_.counts[line_dimension] - 1;
  const std::int64_t columns = problem_.line_in_lanes() ? problem_.output_columns() : problem_.input_columns();
  const std::int64_t lines = problem_.image_empty() ? 0 : input_lines();
  const std::int64_t copied = lines * columns * cuts_.groups * problem_.input_blocks();
  const std::int64_t units = cuts_.grid.units(), registers = cuts_.patch() / cuts_.grid.row_units;
  const std::int64_t patches = line_steps(last) * (problem_.output_columns() / cuts_.patch_columns) *
                               (cuts_.groups / cuts_.patch_groups) * (padded_channels() / cuts_.grid.column_units);
  const std::int64_t contraction = problem_.contraction_steps();
  const std::int64_t steps = patches * contraction;
  const std::int64_t weight_loads = weight_registers * cuts_.grid.column_units;
  const std::int64_t adds = contraction > 1 ? registers * units : 0;
  const std::int64_t unpacked = problem_.packed ? 1 : 0;
  std::vector<hw::TilePhase> phases(2);
  const bool masked = problem_.line_in_lanes() || (!problem_.images_in_sublanes && problem_.w % sublanes != 0);
  phases[0].vector = {copied, staged_.phases * copied, (2 * unpacked + (masked ? 2 : 0)) * copied, 0};
  phases[1].mxu = {steps * units, 8 * registers};
  phases[1].vector = {steps * (cuts_.patch() + weight_loads + adds), steps * registers * units,
                      steps * (adds + unpacked * weight_loads), 0};
  if (problem_.packed) {
    const std::int64_t sums = output_registers();
    phases.push_back({{}, {sums, sums, sums, 0}, 0});
  }
  return phases;
}

hw::TileOp ConvolutionPlan::tile_op(const std::string& name) const {
  return make_tile_op(tiles_, name, [&](std::span<const std::int64_t> indices) { return phases(indices); });
}

}  // namespace podsim::sw
