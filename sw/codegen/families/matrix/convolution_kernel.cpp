// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/convolution_kernel.h"

#include <fmt/format.h>

#include <optional>

#include "base/diagnostic.h"
#include "hlo/build/graph_builder.h"
#include "sw/codegen/builder/matrix_epilogue.h"
#include "sw/codegen/builder/odometer.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/builder/zero_padding.h"
#include "sw/codegen/families/array_allocator.h"
#include "sw/codegen/families/block_sizes.h"
#include "sw/codegen/families/matrix/convolution_plan.h"
#include "sw/codegen/families/matrix/convolution_staging.h"
#include "sw/codegen/families/stream/constant_kernel.h"

namespace podsim::sw::codegen::families::matrix {

using Op = hw::isa::Opcode;

namespace {

/// Half of the words of SMEM; a step takes a word for its address.
constexpr std::int64_t max_contraction_steps = 2048;

/// Writes the bundles of a plan.
class ConvolutionWriter {
 public:
  ConvolutionWriter(builder::KernelBuilder& builder, const ConvolutionPlan& plan)
      : builder_(builder),
        plan_(plan),
        problem_(plan.problem()),
        tiling_(plan.tiling()),
        tile_rows_(builder::rows_of_tile(problem_.packed)) {}

  void write() {
    builder::TileLoop tiles(builder_, plan_.tiles());
    staged_ = builder_.vmem_rows(plan_.staged().rows);
    if (plan_.sum_rows() > 0) sums_ = builder_.vmem_rows(plan_.sum_rows());
    step_offsets_ = builder_.smem_data(plan_.step_offsets(), "offsets of the window's taps");
    tiles.start();
    clear_staged_input(builder_, plan_, staged_);
    tiles.run_tiles([&](const builder::TileLoop::Tile& tile) { write_tile(tile); });
    tiles.wait_for_writes();
  }

 private:
  void write_tile(const builder::TileLoop::Tile& tile) const {
    const builder::MatrixOperand output = operand(tile, ConvolutionPlan::output),
                                 weights = operand(tile, ConvolutionPlan::weights);
    const builder::MatrixOperand sums =
        problem_.packed ? builder::MatrixOperand{sums_.buffer, builder_.constant(sums_.row), 1, false} : output;
    if (problem_.weights_padded()) clear_padding(tile, weights);
    if (!problem_.image_empty()) {
      write_staging(builder_, plan_, operand(tile, ConvolutionPlan::input), first_line(tile), staged_);
    }
    multiply(tile, weights, sums);
    if (problem_.packed) pack(sums, output);
  }

  builder::MatrixOperand operand(const builder::TileLoop::Tile& tile, int stream) const {
    return {tile.buffer(stream), tile.row(stream), 1, problem_.packed};
  }
  /// Returns the first input line of the tile, not clipped: it may be before the input.
  registers::ScalarReg first_line(const builder::TileLoop::Tile& tile) const {
    const builder::TileWindow window = plan_.line_window();
    const registers::ScalarReg line =
        builder_.op(Op::s_mul, tile.index(ConvolutionPlan::line_dimension), std::int32_t(window.step));
    return builder_.op(Op::s_sub, line, std::int32_t(window.before));
  }

  std::int32_t weight_row() const { return std::int32_t(plan_.padded_channels()) * tile_rows_; }
  std::int32_t weight_tile() const { return builder::weight_registers * weight_row(); }
  std::int32_t weight_tap() const { return std::int32_t(problem_.input_blocks()) * weight_tile(); }

  /// Clears the weight rows beyond the channels, only once, since padded weights are loaded once.
  void clear_padding(const builder::TileLoop::Tile& tile, const builder::MatrixOperand& weights) const {
    registers::ScalarOperand taps = std::int32_t(problem_.taps());
    if (const registers::ScalarOperand reused = tile.reused(ConvolutionPlan::weights); !reused.literal) {
      const registers::ScalarReg count = builder::in_register(builder_, taps);
      const registers::PredicateReg again = builder_.compare(Op::s_ne, registers::ScalarReg{reused.value}, 0);
      builder_.when(again, false, [&] { builder_.set(count, 1); });
      taps = count;
    }
    const builder::PaddedTiles::Dimension of_taps{taps, weight_tap()};
    const builder::PaddedTiles::Dimension of_columns{std::int32_t(plan_.padded_channels()), tile_rows_};
    if (problem_.line_in_lanes()) {
      const builder::PaddedTiles::Dimension of_rows{std::int32_t(problem_.kernel), weight_row()};
      if (problem_.cin % builder::register_rows != 0) {
        builder::clear_rows_of_tiles(builder_, {weights, {of_taps, of_rows, of_columns}, std::nullopt},
                                     int(problem_.cin));
      }
      builder::clear_rows(builder_, {weights, {of_taps, of_columns}, std::nullopt}, weight_row(),
                          int(problem_.kernel) * builder::register_rows);
    } else {
      builder::MatrixOperand last_block = weights;
      const auto blocks_before = std::int32_t(problem_.input_blocks() - 1);
      last_block.base = builder_.op(Op::s_add, weights.base, blocks_before * weight_tile());
      builder::clear_rows(builder_, {last_block, {of_taps, of_columns}, std::nullopt}, weight_row(),
                          int(problem_.cin % builder::register_lanes));
    }
  }

  void multiply(const builder::TileLoop::Tile& tile, const builder::MatrixOperand& weights,
                const builder::MatrixOperand& sums) const {
    builder::MatrixPass pass;
    pass.grid = tiling_.grid;
    pass.lhs = {staged_.buffer, builder_.constant(staged_.row), plan_.staged().sublane_stride, false};
    pass.weights = weights;
    pass.sums = sums;
    pass.sums.packed = false;
    pass.weights_register_offset = weight_row();
    pass.weights_column_offset = tile_rows_;
    pass.sums_column_offset = builder::register_rows;
    add_patch(pass);
    pass.dimensions = dimensions(tile);
    pass.lhs_table = step_offsets_;
    builder::write_matrix_pass(builder_, pass);
  }

  // Distances in VMEM rows from a line, column or group to the next.
  std::int32_t lhs_line() const { return std::int32_t(problem_.stride * plan_.staged().line_pitch); }
  std::int32_t lhs_column() const { return std::int32_t(plan_.staged().column_pitch); }
  std::int32_t sums_group() const { return std::int32_t(plan_.padded_channels()) * builder::register_rows; }
  std::int32_t sums_column() const { return std::int32_t(tiling_.groups) * sums_group(); }
  std::int32_t sums_line() const { return std::int32_t(problem_.output_columns()) * sums_column(); }

  void add_patch(builder::MatrixPass& pass) const {
    for (std::int32_t line = 0; line < tiling_.patch_lines; ++line) {
      for (std::int32_t column = 0; column < tiling_.patch_columns; ++column) {
        for (std::int32_t group = 0; group < tiling_.patch_groups; ++group) {
          pass.lhs_offsets.push_back(line * lhs_line() + column * lhs_column() + group * builder::register_rows);
          pass.sums_offsets.push_back(line * sums_line() + column * sums_column() + group * sums_group());
        }
      }
    }
  }

  std::vector<builder::MatrixPassDimension> dimensions(const builder::TileLoop::Tile& tile) const {
    const auto lines = std::int32_t(tiling_.patch_lines), columns = std::int32_t(tiling_.patch_columns),
               groups = std::int32_t(tiling_.patch_groups);
    const std::int32_t units = tiling_.grid.column_units;
    return {
        {std::int32_t(problem_.contraction_steps()), 1, 0, weight_tile(), 0, true},
        {line_steps(tile), plan_.line_steps(true), lines * lhs_line(), 0, lines * sums_line()},
        {std::int32_t(problem_.output_columns()) / columns, 1, columns * lhs_column(), 0, columns * sums_column()},
        {std::int32_t(tiling_.groups) / groups, 1, groups * builder::register_rows, 0, groups * sums_group()},
        {std::int32_t(plan_.padded_channels()) / units, 1, 0, units * tile_rows_, units * builder::register_rows},
    };
  }

  registers::ScalarOperand line_steps(const builder::TileLoop::Tile& tile) const {
    const std::int64_t full = plan_.line_steps(false), last = plan_.line_steps(true);
    const std::int64_t count = plan_.tiles().counts[ConvolutionPlan::line_dimension];
    if (count == 1 || full == last) return std::int32_t(last);
    const registers::ScalarReg steps = builder_.constant(std::int32_t(full));
    const registers::PredicateReg at_end =
        builder_.compare(Op::s_eq, tile.index(ConvolutionPlan::line_dimension), std::int32_t(count - 1));
    builder_.when(at_end, false, [&] { builder_.set(steps, std::int32_t(last)); });
    return steps;
  }

  void pack(const builder::MatrixOperand& sums, const builder::MatrixOperand& output) const {
    constexpr std::int64_t most = 8;
    const std::int64_t registers = plan_.output_registers();
    builder::EpiloguePass pass;
    pass.epilogue.packed = true;
    pass.sums = sums;
    pass.result = output;
    pass.group_rows = int(largest_divisor(registers, most));
    pass.groups = std::int32_t(registers / pass.group_rows);
    pass.row_tiles = 1;
    builder::write_epilogue(builder_, pass);
  }

  builder::KernelBuilder& builder_;
  const ConvolutionPlan& plan_;
  const ConvolutionProblem& problem_;
  const ConvolutionTiling& tiling_;
  const std::int32_t tile_rows_;
  builder::KernelBuilder::VmemBuffer staged_, sums_;
  std::int32_t step_offsets_ = 0;  ///< SMEM address
};

ConvolutionProblem convolution_problem(const KernelArguments& arguments) {
  ConvolutionProblem problem;
  problem.n = arguments.number("n");
  problem.h = arguments.number("h");
  problem.w = arguments.number("w");
  problem.cin = arguments.number("cin");
  problem.cout = arguments.number("cout");
  problem.kernel = arguments.number("kernel");
  problem.stride = arguments.number("stride");
  problem.pad = arguments.number("pad");
  problem.packed = arguments.choice("dtype") == "bf16";
  if (problem.contraction_steps() > max_contraction_steps) {
    throw base::InputError(fmt::format("a window of {} x {} over {} channels has {} blocks of 128 products; at most {}",
                                       problem.kernel, problem.kernel, problem.cin, problem.contraction_steps(),
                                       max_contraction_steps));
  }
  return problem;
}

/// The reference pads the input with zeros explicitly, since the matrix units multiply them too: zero times infinity is
/// NaN.
hlo::Module convolution_reference(const ConvolutionProblem& problem, const Kernel& kernel) {
  hlo::build::GraphBuilder graph("conv2d");
  const auto rounded = [&](const KernelArray& array) {
    const hlo::InstructionId parameter = graph.parameter(array.shape, array.name);
    return graph.convert(graph.convert(parameter, hlo::ElementType::bf16), hlo::ElementType::f32);
  };
  const hlo::WindowDimension window{problem.kernel, problem.stride};
  const hlo::PadDimension none, zeros{problem.pad, problem.pad};
  const hlo::InstructionId zero = graph.constant(hlo::ElementType::f32, 0);
  const hlo::InstructionId input = graph.pad(rounded(kernel.inputs[0]), zero, {none, zeros, zeros, none});
  const hlo::InstructionId sums = graph.convolution(input, rounded(kernel.inputs[1]), {window, window},
                                                    hlo::build::convolution_dimensions("b01f_01io->b01f"));
  return std::move(graph).build(graph.convert(sums, kernel.outputs[0].shape.element_type));
}

std::string convolution_passes(const ConvolutionPlan& plan) {
  const ConvolutionProblem& problem = plan.problem();
  const ConvolutionTiling& tiling = plan.tiling();
  const bool images = problem.images_in_sublanes;
  std::string passes = fmt::format("{} in sublanes, {} in lanes, ", images ? "images" : "pixels",
                                   problem.line_in_lanes() ? "taps of a line" : "channels");
  for (const builder::TileStream& stream : plan.tiles().streams) {
    passes += fmt::format("{} {} {}x, ", stream.role == builder::TileRole::input ? "reads" : "writes", stream.name,
                          plan.tiles().passes(stream));
  }
  return passes + fmt::format("in blocks of {} images, {} lines, {} channels",
                              std::min(problem.n, tiling.groups * (images ? builder::register_rows : 1)), tiling.lines,
                              std::min(problem.cout, builder::register_lanes * tiling.channels));
}

/// The arrays of a problem, in the layout for its choice of sublanes.
struct ConvolutionArrays {
  KernelArray input, weights, output;

  ConvolutionArrays(const TargetMachine& machine, const ConvolutionProblem& problem) {
    const hlo::ElementType type = problem.packed ? hlo::ElementType::bf16 : hlo::ElementType::f32;
    const auto activations = [&](std::int64_t h, std::int64_t w, std::int64_t channels) {
      hlo::Shape shape = hlo::make_shape(type, {problem.n, h, w, channels});
      if (problem.images_in_sublanes) shape.minor_to_major = {3, 0, 2, 1};
      return shape;
    };
    ArrayAllocator arrays(machine);
    input = arrays.place("input", activations(problem.h, problem.w, problem.cin));
    weights =
        arrays.place("weights", hlo::make_shape(type, {problem.kernel, problem.kernel, problem.cin, problem.cout}));
    output = arrays.place("output", activations(problem.out_h(), problem.out_w(), problem.cout));
  }
  ConvolutionAddresses addresses() const { return {input.address, weights.address, output.address}; }
};

struct LaidOutConvolution {
  ConvolutionArrays arrays;
  PricedConvolution priced;
};

/// Returns the cheaper of the two layouts. Ties go to images in sublanes.
LaidOutConvolution lay_out(const TargetMachine& machine, ConvolutionProblem problem) {
  std::optional<LaidOutConvolution> best;
  for (bool images : {true, false}) {
    problem.images_in_sublanes = images;
    const ConvolutionArrays arrays(machine, problem);
    const auto priced = compiled_convolution(machine, problem, arrays.addresses());
    if (priced && (!best || priced->cycles < best->priced.cycles)) best = LaidOutConvolution{arrays, *priced};
  }
  if (!best) {
    throw base::InputError(
        fmt::format("a convolution of this size has no tiles that fit {} of VMEM", base::to_string(machine.vmem)));
  }
  return *best;
}

/// Sets the parts of the kernel that do not depend on its plan.
void describe(Kernel& kernel, const ConvolutionProblem& problem, const ConvolutionArrays& arrays) {
  kernel.inputs = {arrays.input, arrays.weights};
  kernel.outputs = {arrays.output};
  kernel.reference = convolution_reference(problem, kernel);
  kernel.op = convolution_op(problem);
  const std::int64_t taps = problem.kernel * problem.kernel;
  kernel.rounding_steps =
      double(std::min<std::int64_t>(problem.cin, builder::register_lanes) + taps * problem.input_blocks() + 2);
}

Kernel build_convolution(const TargetMachine& machine, const KernelArguments& arguments) {
  const ConvolutionProblem problem = convolution_problem(arguments);
  Kernel kernel;
  kernel.name = "conv2d";
  for (const auto& parameter : conv2d_family().parameters) {
    kernel.name += fmt::format(" {}={}", parameter.name, arguments.values.at(parameter.name));
  }
  if (problem.output_empty()) {
    describe(kernel, problem, ConvolutionArrays(machine, problem));
    kernel.program = builder::KernelBuilder(machine, kernel.name).finish();
  } else if (problem.cin == 0) {
    describe(kernel, problem, ConvolutionArrays(machine, problem));
    kernel.passes = "writes output 1x: zeros";
    stream::build_constant(machine, kernel, 0);
  } else {
    const LaidOutConvolution chosen = lay_out(machine, problem);
    describe(kernel, problem, chosen.arrays);
    kernel.passes = convolution_passes(chosen.priced.plan);
    kernel.tile_op = chosen.priced.plan.tile_op(kernel.name);
    builder::KernelBuilder builder(machine, kernel.name);
    ConvolutionWriter(builder, chosen.priced.plan).write();
    kernel.program = std::move(builder).finish();
  }
  return kernel;
}

}  // namespace

KernelFamily conv2d_family() {
  constexpr std::int64_t most = 1 << 16;
  return {
      "conv2d",
      "2-D convolution as an implicit matmul, on the matrix units",
      {{"n", "images", {}, 0, most, "8"},
       {"h", "lines of an image", {}, 0, most, "28"},
       {"w", "pixels of a line", {}, 0, most, "28"},
       {"cin", "input channels", {}, 0, most, "128"},
       {"cout", "output channels", {}, 0, most, "128"},
       {"kernel", "height and width of the window", {}, 1, 64, "3"},
       {"stride", "pixels from one window to the next", {}, 1, 64, "1"},
       {"pad", "zeros on each side of the input", {}, 0, 63, "1"},
       {"dtype", "of all arrays; f32 operands are rounded to bf16 by the matrix units", {"f32", "bf16"}, 0, 0, "f32"}},
      build_convolution};
}

}  // namespace podsim::sw::codegen::families::matrix
