// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/convolution_plan.h"

#include <algorithm>

#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::families::matrix {

using base::divide_round_up;
using base::round_up;

namespace {

/// Sets the pitches within a line, and that of a whole line.
void lay_out_images(const ConvolutionProblem& problem, const ConvolutionTiling& tiling, StagedInput& staged) {
  staged.pixel_pitch = builder::register_rows * tiling.groups;
  staged.column_pitch = problem.stride * staged.pixel_pitch;
  const std::int64_t touched = (problem.out_w() - 1) * problem.stride + problem.kernel;
  staged.line_pitch = std::max(touched, problem.pad + problem.w) * staged.pixel_pitch;
}

void lay_out_pixels(const ConvolutionProblem& problem, StagedInput& staged) {
  staged.pixel_pitch = 1;
  if (problem.line_in_lanes()) {
    staged.column_pitch = builder::register_rows;
    staged.line_pitch = builder::register_rows * problem.output_columns();
    return;
  }
  staged.phases = problem.stride == 2 ? 2 : 1;
  const std::int64_t stride = problem.stride / staged.phases;  // within a phase
  staged.sublane_stride = std::int32_t(stride);
  staged.column_pitch = builder::register_rows * stride;
  // A phase has room for every pixel that a window covers, and for all pixels in registers of the input, after the
  // zeros on the left.
  const std::int64_t touched = (builder::register_rows * problem.output_columns() - 1) * stride +
                               base::divide_round_up(problem.kernel, staged.phases);
  const std::int64_t copied =
      base::divide_round_up(problem.pad + builder::register_rows * problem.input_columns(), staged.phases) + 1;
  staged.phase_pitch = std::max(touched, copied);
  staged.line_pitch = staged.phases * staged.phase_pitch;
}

StagedInput staged_input(const ConvolutionProblem& problem, const ConvolutionTiling& tiling) {
  StagedInput staged;
  staged.lines = (base::round_up(tiling.lines, tiling.patch_lines) - 1) * problem.stride + problem.kernel;
  problem.images_in_sublanes ? lay_out_images(problem, tiling, staged) : lay_out_pixels(problem, staged);
  staged.block_pitch = base::round_up(staged.lines * staged.line_pitch, builder::register_rows);
  staged.rows = base::round_up(staged.block_pitch * problem.input_blocks(), staged_rows_unit);
  return staged;
}

/// Makes the streams of a plan.
class ConvolutionStreams {
 public:
  explicit ConvolutionStreams(const ConvolutionPlan& plan, const ConvolutionAddresses& addresses)
      : plan_(plan), problem_(plan.problem()), tiling_(plan.tiling()), addresses_(addresses) {}

  builder::TileStream input() const {
    const std::int64_t columns = problem_.input_columns(), blocks = problem_.input_blocks();
    builder::TileStream stream = array("input", builder::TileRole::input, addresses_.input);
    stream.rows = lines_of(columns);
    if (problem_.images_in_sublanes) {
      pixels(stream, problem_.groups() * blocks, tiling_.groups * blocks);
    } else {
      stream.words = builder::TileWindow::whole(blocks * tile_words());
      stream.hbm_stride = stream.vmem_stride = blocks * tile_words();
      stream.steps = {0, problem_.h * columns * blocks * tile_words(), 0};
    }
    stream.vmem_rows = plan_.input_lines() * columns * tiling_.groups * blocks * tile_rows();
    return stream;
  }

  /// The input if a line of the window is in lanes: a piece for each tap, which moves the pixels of that tap. Position
  /// i of line y gets pixel i * stride + tap - pad if the line has that pixel; otherwise it gets data from before or
  /// after the line.
  builder::TileStream windows() const {
    builder::TileStream stream = array("input", builder::TileRole::input, addresses_.input);
    stream.rows = lines_of(plan_.positions());
    stream.words = builder::TileWindow::whole(ConvolutionProblem::tap_lanes);
    stream.hbm_stride = problem_.stride * builder::row_words;
    stream.vmem_stride = builder::row_words;
    stream.steps = {0, problem_.h * problem_.input_columns() * tile_words(), 0};
    stream.vmem_rows = plan_.input_lines() * plan_.positions() + plan_.staged().line_pitch + problem_.kernel;
    stream.pieces.clear();
    for (std::int64_t tap = 0; tap < problem_.kernel; ++tap) {
      const std::int64_t shift = tap - problem_.pad;
      const std::int64_t positions_before = shift < 0 ? base::divide_round_up(-shift, problem_.stride) : 0;
      stream.pieces.push_back({(shift + positions_before * problem_.stride) * builder::row_words,
                               positions_before * builder::row_words + tap * ConvolutionProblem::tap_lanes});
    }
    return stream;
  }

  builder::TileStream weights() const {
    const std::int64_t taps = problem_.taps();
    builder::TileStream stream = array("weights", builder::TileRole::input, addresses_.weights);
    if (problem_.weights_padded()) {  // a tap takes more rows in VMEM than in HBM
      const std::int64_t tap = problem_.weight_rows() * problem_.output_blocks() * tile_words();
      stream.rows = builder::TileWindow::whole(taps);
      stream.words = builder::TileWindow::whole(tap);
      stream.hbm_stride = tap;
      stream.vmem_stride = problem_.input_blocks() * builder::weight_registers * plan_.padded_channels() * tile_words();
    } else {
      stream.rows = builder::TileWindow::whole(taps * problem_.weight_rows());
      channels(stream);
    }
    stream.vmem_rows =
        taps * problem_.input_blocks() * builder::weight_registers * plan_.padded_channels() * tile_rows();
    return stream;
  }

  builder::TileStream output() const {
    const std::int64_t columns = problem_.output_columns();
    builder::TileStream stream = array("output", builder::TileRole::output, addresses_.output);
    const auto lines = [&](std::int64_t per_line) {
      return builder::TileWindow::tiled(ConvolutionPlan::line_dimension, tiling_.lines * per_line,
                                        problem_.out_h() * per_line);
    };
    if (!problem_.images_in_sublanes) {
      stream.rows = lines(columns);
      channels(stream);
      stream.steps = {0, problem_.out_h() * columns * problem_.output_blocks() * tile_words(), 0};
    } else if (tiling_.groups == problem_.groups()) {
      stream.rows = lines(columns * problem_.groups());
      channels(stream);
    } else {
      stream.rows = lines(columns);
      pixels(stream, problem_.groups() * problem_.output_blocks(), tiling_.groups * problem_.output_blocks());
    }
    stream.vmem_rows = plan_.output_registers() * tile_rows();
    return stream;
  }

 private:
  std::int64_t tile_rows() const { return builder::rows_of_tile(problem_.packed); }
  std::int64_t tile_words() const { return tile_rows() * builder::row_words; }
  static builder::TileStream array(const char* name, builder::TileRole role, std::uint32_t address) {
    builder::TileStream stream;
    stream.name = name;
    stream.role = role;
    stream.address = address;
    return stream;
  }
  /// Window of the tile's input lines, with `per_line` DMA rows per line.
  builder::TileWindow lines_of(std::int64_t per_line) const {
    const builder::TileWindow lines = plan_.line_window();
    return {lines.dimension, lines.step * per_line, lines.length * per_line, lines.before * per_line,
            lines.total * per_line};
  }
  /// Makes DMA rows of all channels of the tile's groups.
  void pixels(builder::TileStream& stream, std::int64_t tiles, std::int64_t tiles_of_block) const {
    stream.words = builder::TileWindow::tiled(ConvolutionPlan::group_dimension, tiles_of_block * tile_words(),
                                              tiles * tile_words());
    stream.hbm_stride = tiles * tile_words();
    stream.vmem_stride = tiles_of_block * tile_words();
  }
  /// Makes DMA rows of the tile's output channels.
  void channels(builder::TileStream& stream) const {
    stream.words = builder::TileWindow::tiled(ConvolutionPlan::channel_dimension, tiling_.channels * tile_words(),
                                              problem_.output_blocks() * tile_words());
    stream.hbm_stride = problem_.output_blocks() * tile_words();
    stream.vmem_stride = plan_.padded_channels() * tile_words();
  }

  const ConvolutionPlan& plan_;
  const ConvolutionProblem& problem_;
  const ConvolutionTiling& tiling_;
  const ConvolutionAddresses& addresses_;
};

}  // namespace

ConvolutionPlan::ConvolutionPlan(const ConvolutionProblem& problem, const ConvolutionTiling& tiling,
                                 const ConvolutionAddresses& addresses)
    : problem_(problem), tiling_(tiling), staged_(staged_input(problem, tiling)) {
  tiles_.counts = {base::divide_round_up(problem.output_blocks(), tiling.channels),
                   base::divide_round_up(problem.groups(), tiling.groups),
                   base::divide_round_up(problem.out_h(), tiling.lines)};
  const ConvolutionStreams make(*this, addresses);
  tiles_.streams = {make.output(), make.weights()};
  if (!problem.image_empty()) tiles_.streams.push_back(problem.line_in_lanes() ? make.windows() : make.input());
  tiles_.scratch_rows = staged_.rows + sum_rows();
}

bool ConvolutionPlan::movable(const ConvolutionProblem& problem, const ConvolutionTiling& tiling) {
  const bool all_channels =
      tiling.channels == problem.output_blocks() && tiling.channels % tiling.grid.column_units == 0;
  if (problem.weights_padded() && !all_channels) return false;
  return all_channels || !problem.images_in_sublanes || tiling.groups == problem.groups();
}

std::int64_t ConvolutionPlan::line_steps(bool last) const {
  const std::int64_t lines =
      last ? problem_.out_h() - (tiles_.counts[line_dimension] - 1) * tiling_.lines : tiling_.lines;
  return base::divide_round_up(lines, tiling_.patch_lines);
}

builder::TileWindow ConvolutionPlan::line_window() const {
  return {line_dimension, tiling_.lines * problem_.stride, input_lines(), problem_.pad, problem_.h};
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
  const std::int64_t copied = lines * columns * tiling_.groups * problem_.input_blocks();
  const std::int64_t units = tiling_.grid.units(), registers = tiling_.patch() / tiling_.grid.row_units;
  const std::int64_t patches = line_steps(last) * (problem_.output_columns() / tiling_.patch_columns) *
                               (tiling_.groups / tiling_.patch_groups) *
                               (padded_channels() / tiling_.grid.column_units);
  const std::int64_t contraction = problem_.contraction_steps();
  const std::int64_t steps = patches * contraction;
  const std::int64_t weight_loads = builder::weight_registers * tiling_.grid.column_units;
  const std::int64_t adds = contraction > 1 ? registers * units : 0;
  const std::int64_t unpacked = problem_.packed ? 1 : 0;
  std::vector<hw::TilePhase> phases(2);
  const bool masked =
      problem_.line_in_lanes() || (!problem_.images_in_sublanes && problem_.w % builder::register_rows != 0);
  phases[0].of<hw::Vector>() = {copied, staged_.phases * copied, (2 * unpacked + (masked ? 2 : 0)) * copied, 0};
  phases[1].of<hw::Mxu>() = {.weight_tiles = steps * units, .rows = builder::register_rows * registers};
  // Loads of patches and weights are the array's (mxu::Events::operand_registers).
  phases[1].of<hw::Vector>() = {steps * adds, steps * registers * units, steps * (adds + unpacked * weight_loads), 0};
  if (problem_.packed) {
    const std::int64_t sums = output_registers();
    phases.emplace_back(hw::VectorWork{sums, sums, sums, 0});
  }
  return phases;
}

hw::TileOp ConvolutionPlan::tile_op(const std::string& name) const {
  return builder::make_tile_op(tiles_, name, [&](std::span<const std::int64_t> indices) { return phases(indices); });
}

}  // namespace podsim::sw::codegen::families::matrix
