// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/convolution_plan.h"

#include "sw/kernels/packed_tile.h"

namespace podsim::sw {

using base::divide_round_up;
using base::round_up;

namespace {

constexpr std::int64_t weight_registers = 16;
constexpr std::int64_t words_per_row = 128;
constexpr std::int64_t sublanes = 8;

StagedInput staged_input(const ConvolutionProblem& problem, const ConvolutionCuts& cuts) {
  StagedInput staged;
  const bool images = problem.images_in_sublanes;
  staged.lines = (round_up(cuts.lines, cuts.patch_lines) - 1) * problem.stride + problem.kernel;
  staged.pixel_pitch = images ? sublanes * cuts.groups : 1;
  staged.column_pitch = problem.stride * (images ? staged.pixel_pitch : sublanes);
  staged.sublane_stride = images ? 1 : std::int32_t(problem.stride);
  // A line takes every pixel that a window touches, and whole registers of the input behind the zeros on its left.
  const std::int64_t outputs = problem.output_columns() * (images ? 1 : sublanes);
  const std::int64_t touched = (outputs - 1) * problem.stride + problem.kernel;
  const std::int64_t copied = problem.pad + problem.input_columns() * (images ? 1 : sublanes);
  staged.line_pitch = std::max(touched, copied) * staged.pixel_pitch;
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
    stream.rows = plan_.line_window();
    for (std::int64_t* units : {&stream.rows.step, &stream.rows.length, &stream.rows.before, &stream.rows.total}) {
      *units *= columns;
    }
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

  TileStream weights() const {
    const std::int64_t taps = problem_.kernel * problem_.kernel;
    TileStream stream = array("weights", TileRole::input, addresses_.weights);
    if (problem_.channels_padded()) {  // a tap takes more rows in VMEM than in HBM
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
  tiles_.streams = {make.output(), make.weights(), make.input()};
  tiles_.scratch_rows = staged_.rows + sum_rows();
}

bool ConvolutionPlan::movable(const ConvolutionProblem& problem, const ConvolutionCuts& cuts) {
  const bool all_channels = cuts.channels == problem.output_blocks() && cuts.channels % cuts.grid.column_units == 0;
  if (problem.channels_padded() && !all_channels) return false;
  return all_channels || !problem.images_in_sublanes || cuts.groups == problem.groups();
}

std::int64_t ConvolutionPlan::line_steps(bool last) const {
  const std::int64_t lines = last ? problem_.out_h() - (tiles_.counts[line_dimension] - 1) * cuts_.lines : cuts_.lines;
  return divide_round_up(lines, cuts_.patch_lines);
}

TileWindow ConvolutionPlan::line_window() const {
  return {line_dimension, cuts_.lines * problem_.stride, input_lines(), problem_.pad, problem_.h};
}

std::vector<hw::TilePhase> ConvolutionPlan::phases(std::span<const std::int64_t> indices) const {
  const bool last = indices[line_dimension] == tiles_.counts[line_dimension] - 1;
  const std::int64_t copied = input_lines() * problem_.input_columns() * cuts_.groups * problem_.input_blocks();
  const std::int64_t units = cuts_.grid.units(), registers = cuts_.patch() / cuts_.grid.row_units;
  const std::int64_t patches = line_steps(last) * (problem_.output_columns() / cuts_.patch_columns) *
                               (cuts_.groups / cuts_.patch_groups) * (padded_channels() / cuts_.grid.column_units);
  const std::int64_t contraction = problem_.kernel * problem_.kernel * problem_.input_blocks();
  const std::int64_t steps = patches * contraction;
  const std::int64_t weight_loads = weight_registers * cuts_.grid.column_units;
  const std::int64_t adds = contraction > 1 ? registers * units : 0;
  const std::int64_t unpacked = problem_.packed ? 1 : 0;
  std::vector<hw::TilePhase> phases(2);
  phases[0].vector = {copied, copied, unpacked * copied, 0};
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
