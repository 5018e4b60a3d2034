// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/matmul_problem.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "hlo/array_tile.h"
#include "hlo/transform/flops.h"
#include "sw/compiler/tiles/batched_product.h"
#include "sw/compiler/tiles/product_arithmetic.h"

namespace podsim::sw::compiler::tiles {
namespace {

struct Window {
  std::int64_t output_positions = 1;
  std::int64_t input_positions = 1;
  std::int64_t taps = 1;
  /// One in `dilation` taps of an output position is at an element of a dilated input; the others are in holes.
  std::int64_t dilation = 1;
};

Window window_of(const hlo::Instruction& convolution, const hlo::Shape& input) {
  Window window;
  for (std::size_t i = 0; i < convolution.window.size(); ++i) {
    const hlo::WindowDimension& d = convolution.window[i];
    window.output_positions *= convolution.shape.dimensions[convolution.convolution->output_spatial[i]];
    window.input_positions *= input.dimensions[convolution.convolution->input_spatial[i]];
    window.taps *= d.size;
    window.dilation *= d.base_dilation;
  }
  return window;
}

bool is_kernel_gradient(const Window& window) { return window.taps > window.output_positions; }

/// The contracted batch of a kernel gradient is in the lanes of the image.
bool contracts_lanes(const hlo::Instruction& convolution, const hlo::Shape& input) {
  return input.minor_dimension(0) == convolution.convolution->input_feature;
}

/// Rows of a kernel gradient that pass a weight tile: `features` for every tap. If the batch is in the lanes, a weight
/// tile is a pixel of the batch, which all taps share; so do few features, which are packed. Else weight tiles run over
/// batch and pixels, shifted from tap to tap, so that every tap loads its own.
std::int64_t gradient_rows(std::int64_t features, const hlo::Instruction& convolution, const hlo::Shape& input,
                           const Window& window, std::int64_t array) {
  if (features < hlo::tile_sublanes) return base::round_up(features * window.output_positions, hlo::tile_sublanes);
  const std::int64_t padded = base::round_up(features, hlo::tile_sublanes);
  return (contracts_lanes(convolution, input) ? padded : std::max(padded, array)) * window.output_positions;
}

/// Output features in the lanes: pixels and batch stream past stationary weights.
void stationary_kernel(MatmulProblem& problem, const hlo::Instruction& convolution, const hlo::Shape& input,
                       const Window& window, std::int64_t array) {
  const hlo::ConvolutionDimensions& dims = convolution.convolution;
  std::int64_t batch = input.dimensions[dims.input_batch];
  // A batch smaller than a register's sublanes is packed together with the positions.
  bool batch_in_sublanes = convolution.shape.minor_dimension(1) == dims.output_batch && batch >= hlo::tile_sublanes;
  problem.row_operand = 0;
  problem.lane_operand = 1;
  problem.lanes = convolution.shape.dimensions[dims.output_feature];
  if (is_kernel_gradient(window)) {
    problem.rows = gradient_rows(batch, convolution, input, window, array);
    return;
  }
  // Every tap meets one in `dilation` output positions.
  std::int64_t positions = base::divide_round_up(window.output_positions, window.dilation);
  problem.rows = batch_in_sublanes ? base::round_up(batch, hlo::tile_sublanes) * positions
                                   : base::round_up(batch * positions, hlo::tile_sublanes);
}

/// Batch in the lanes, and more taps than outputs: a weight gradient, whose window is the image. The taps are
/// contracted, block after block, into the few outputs.
void stationary_taps(MatmulProblem& problem, const hlo::Instruction& convolution, const hlo::Shape& input,
                     const Window& window, std::int64_t array) {
  const hlo::ConvolutionDimensions& dims = convolution.convolution;
  problem.row_operand = 1;
  problem.lane_operand = 0;
  problem.lanes = input.dimensions[dims.input_batch];
  problem.rows = gradient_rows(convolution.shape.dimensions[dims.output_feature], convolution, input, window, array);
}

/// Batch in the lanes: every input pixel is stationary once and all kernel taps stream past it.
void stationary_pixels(MatmulProblem& problem, const hlo::Instruction& convolution, const hlo::Shape& input,
                       const Window& window) {
  const hlo::ConvolutionDimensions& dims = convolution.convolution;
  problem.row_operand = 1;
  problem.lane_operand = 0;
  problem.lanes = input.dimensions[dims.input_batch];
  std::int64_t features = base::round_up(convolution.shape.dimensions[dims.output_feature], hlo::tile_sublanes);
  // Each pixel meets taps * outputs / inputs kernel positions; pixels that meet none are not loaded.
  std::int64_t meetings = base::divide_round_up(window.taps * window.output_positions, window.dilation);
  std::int64_t uses = std::max<std::int64_t>(1, meetings / window.input_positions);
  problem.stationary_blocks = base::divide_round_up(meetings, uses);
  problem.rows = features * uses;
}

/// Splits between output rows of the outermost spatial dimension re-read the rows where windows overlap.
void add_halo(MatmulProblem& problem, const hlo::Instruction& convolution, const hlo::Shape& input,
              std::int64_t array) {
  if (convolution.window.empty()) return;
  const hlo::WindowDimension& outer = convolution.window.front();
  std::int64_t overlap = std::max<std::int64_t>(0, (outer.size - 1) * outer.window_dilation + 1 - outer.stride);
  // Windows whose taps are further apart than all output rows together read different rows, as in the gradient of a
  // kernel that is moved by its own size.
  const std::int64_t outputs = convolution.shape.dimensions[convolution.convolution->output_spatial.front()];
  if (outputs > 1 && outputs * outer.stride <= outer.window_dilation) overlap = 0;
  std::int64_t extent = input.dimensions[convolution.convolution->input_spatial.front()];
  problem.halo_per_split = double(std::min(overlap, extent)) / double(std::max<std::int64_t>(1, extent));
  double window = 1;
  for (const hlo::WindowDimension& d : convolution.window) {
    window *= std::max(1.0, double((d.size - 1) * d.window_dilation + 1) / double(d.stride));
  }
  problem.max_halo = window - 1;
  bool batch_in_lanes = convolution.shape.minor_dimension(0) == convolution.convolution->output_batch;
  std::int64_t batch = input.dimensions[convolution.convolution->input_batch];
  problem.splits_without_halo = base::divide_round_up(batch, batch_in_lanes ? array : hlo::tile_sublanes);
}

/// Input channels that `outputs` consecutive output channels see, and the outputs that `inputs` input channels reach:
/// all, or those of the groups that they touch.
std::int64_t channels_met(std::int64_t channels, std::int64_t own, std::int64_t groups, std::int64_t others) {
  const std::int64_t per_group = std::max<std::int64_t>(1, own / groups);
  return std::min(others, base::divide_round_up(std::min(channels, own), per_group) * (others / groups));
}

/// Tiles of the contraction of groups. A weight tile is a block of the block-diagonal matrix of all groups: where
/// output channels are stationary, a tile's outputs see the inputs of their groups; where pixels are, its inputs reach
/// the outputs of theirs.
std::int64_t contraction_of_groups(MatmulProblem& problem, const hlo::Instruction& convolution, std::int64_t channels,
                                   std::int64_t taps, std::int64_t array) {
  const std::int64_t groups = convolution.feature_groups;
  const std::int64_t outputs = convolution.shape.dimensions[std::size_t(convolution.convolution->output_feature)];
  if (problem.lane_operand == 1) {
    return base::divide_round_up(channels_met(array, outputs, groups, channels), array) * taps;
  }
  problem.rows =
      base::round_up(problem.rows * channels_met(array, channels, groups, outputs) / outputs, hlo::tile_sublanes);
  return base::divide_round_up(channels, array);
}

/// Tiles of the contraction if the taps of the window's longest side share tiles, as they do if a tile holds several
/// and this saves more rows through an array than it rotates in the cross-lane unit. All channels are in the lanes, so
/// that every tap in a tile except the first rotates the input to its lanes.
std::int64_t contraction_of_kernel(MatmulProblem& problem, const hlo::Instruction& convolution, const hlo::Shape& input,
                                   const Window& window, std::int64_t array) {
  const std::int64_t channels = input.dimensions[convolution.convolution->input_feature];
  const std::int64_t apart = base::divide_round_up(channels, array) * window.taps;
  const bool in_lanes = input.minor_dimension(0) == convolution.convolution->input_feature;
  if (!in_lanes || channels == 0 || 2 * channels > array) return apart;
  std::int64_t side = 1;
  for (const hlo::WindowDimension& d : convolution.window) side = std::max(side, d.size);
  const std::int64_t packed = window.taps / side * base::divide_round_up(channels * side, array);
  const std::int64_t rotations = std::min(side, array / channels) - 1;
  const std::int64_t batch = input.dimensions[convolution.convolution->input_batch];
  const std::int64_t rotated_rows = rotations * base::round_up(batch * window.input_positions, hlo::tile_sublanes);
  const std::int64_t saved = (apart - packed) * base::divide_round_up(problem.lanes, array) * problem.rows;
  if (saved <= rotated_rows) return apart;
  problem.row_rotations = rotated_rows / hlo::tile_sublanes;
  return packed;
}

/// Layout tiles that the cross-lane unit passes to exchange batch and features of the result: a block of the array's
/// size for every pixel.
std::int64_t exchanged_tiles(const hlo::Instruction& convolution, const Window& window, std::int64_t array) {
  const hlo::ConvolutionDimensions& dims = convolution.convolution;
  const std::int64_t words = hlo::byte_width(convolution.shape.element_type) < 4 ? 2 : 1;
  return window.output_positions * base::divide_round_up(convolution.shape.dimensions[dims.output_batch], array) *
         base::divide_round_up(convolution.shape.dimensions[dims.output_feature], array) * array / hlo::tile_sublanes /
         words;
}

bool contains(const std::vector<int>& dimensions, int dimension) {
  return std::ranges::find(dimensions, dimension) != dimensions.end();
}

/// True if the `i`-th most minor dimension of an array is one of `dimensions`.
bool is_minor(const hlo::Shape& array, int i, const std::vector<int>& dimensions) {
  return array.rank() > i && contains(dimensions, array.minor_dimension(i));
}

/// Rows of an array in pieces of up to a register's lanes, with the sublanes padded.
std::int64_t padded_row_pieces(const hlo::Shape& array, std::int64_t lanes) {
  const std::int64_t row = array.dimensions[std::size_t(array.minor_dimension(0))];
  const std::int64_t sublanes = array.dimensions[std::size_t(array.minor_dimension(1))];
  return array.element_count() / std::max<std::int64_t>(1, row * sublanes) *
         base::round_up(sublanes, hlo::tile_sublanes) * base::divide_round_up(row, lanes);
}

/// What an image has in its sublanes: its batch, or the spatial dimension with this number.
constexpr int batch_role = -1;

/// std::nullopt if the channels are not in the lanes, or if they are in the sublanes too.
std::optional<int> sublane_role(const hlo::Shape& image, int batch, int channels, const std::vector<int>& spatial) {
  if (image.rank() < 2 || image.minor_dimension(0) != channels) return std::nullopt;
  const int sublanes = image.minor_dimension(1);
  if (sublanes == batch) return batch_role;
  for (std::size_t i = 0; i < spatial.size(); ++i) {
    if (spatial[i] == sublanes) return int(i);
  }
  return std::nullopt;
}

/// Adds the rows of an image that change sublanes, since the other image of the convolution has another dimension
/// there: of the input, or of the gradient if that is the one with pixels in the sublanes.
void add_moved_rows(MatmulProblem& problem, const hlo::Instruction& convolution, const hlo::Shape& input,
                    const hlo::Shape& kernel, const Window& window, std::int64_t array) {
  const hlo::ConvolutionDimensions& dims = convolution.convolution;
  const bool gradient = is_kernel_gradient(window);
  // In a kernel gradient the batch has the role of a feature.
  const std::optional<int> of_input =
      gradient ? sublane_role(input, int(dims.input_feature), int(dims.input_batch), dims.input_spatial)
               : sublane_role(input, int(dims.input_batch), int(dims.input_feature), dims.input_spatial);
  const std::optional<int> of_other =
      gradient
          ? sublane_role(kernel, int(dims.kernel_input_feature), int(dims.kernel_output_feature), dims.kernel_spatial)
          : sublane_role(convolution.shape, int(dims.output_batch), int(dims.output_feature), dims.output_spatial);
  if (!of_input || !of_other || *of_input == *of_other) return;
  const bool moves_kernel = gradient && *of_input == batch_role;
  const int operand = moves_kernel ? 1 : 0;
  (problem.row_operand == operand ? problem.moved_row_rows : problem.moved_lane_rows) =
      padded_row_pieces(moves_kernel ? kernel : input, array);
}

MatmulProblem convolution_problem(const hlo::Instruction& convolution, const hlo::Shape& input,
                                  const hlo::Shape& kernel, std::int64_t array) {
  const hlo::ConvolutionDimensions& dims = convolution.convolution;
  Window window = window_of(convolution, input);
  MatmulProblem problem;
  const std::int64_t channels = input.dimensions[dims.input_feature];
  const bool pack_taps = channels < hlo::tile_sublanes;
  bool batch_in_lanes = convolution.shape.minor_dimension(0) == dims.output_batch;
  // Few channels in the sublanes stay there: the result has the batch in the lanes at first, like the input.
  if (!batch_in_lanes && pack_taps && !is_kernel_gradient(window) && input.minor_dimension(0) == dims.input_batch) {
    batch_in_lanes = true;
    problem.output_transposes = exchanged_tiles(convolution, window, array);
  }
  bool taps_are_rows = batch_in_lanes && window.taps <= window.output_positions;
  if (taps_are_rows) {
    stationary_pixels(problem, convolution, input, window);
  } else if (batch_in_lanes) {
    stationary_taps(problem, convolution, input, window, array);
  } else {
    stationary_kernel(problem, convolution, input, window, array);
  }
  if (is_kernel_gradient(window)) {
    // A kernel gradient contracts batch and space together: registers of eight batch rows fill the array's depth. A
    // batch in the lanes fills it pixel by pixel.
    const std::int64_t unit = contracts_lanes(convolution, input) ? array : hlo::tile_sublanes;
    std::int64_t depth = pack_taps ? channels : base::round_up(channels, unit);
    problem.contraction_tiles = base::divide_round_up(depth * window.taps, array);
  } else if (convolution.feature_groups > 1) {
    problem.contraction_tiles = contraction_of_groups(problem, convolution, channels, window.taps, array);
  } else if (pack_taps) {
    problem.contraction_tiles = base::divide_round_up(channels * window.taps, array);
    if (taps_are_rows) problem.stationary_blocks = base::divide_round_up(problem.stationary_blocks, window.taps);
  } else {
    problem.contraction_tiles = taps_are_rows ? base::divide_round_up(channels, array)
                                              : contraction_of_kernel(problem, convolution, input, window, array);
  }
  problem.contraction_tiles = std::max<std::int64_t>(1, problem.contraction_tiles);  // an empty sum is written too
  problem.output_rows = base::divide_round_up(convolution.shape.element_count(), problem.lanes);
  add_halo(problem, convolution, input, array);
  add_moved_rows(problem, convolution, input, kernel, window, array);
  return problem;
}

MatmulProblem product_problem(const BatchedProduct& product, std::int64_t array) {
  MatmulProblem problem;
  problem.batch = product.batch;
  problem.row_operand = product.rhs_in_lanes ? 0 : 1;
  problem.lane_operand = product.rhs_in_lanes ? 1 : 0;
  problem.lanes = product.rhs_in_lanes ? product.rhs_free : product.lhs_free;
  problem.rows = base::round_up(product.rhs_in_lanes ? product.lhs_free : product.rhs_free, hlo::tile_sublanes);
  // An empty sum is written too.
  problem.contraction_tiles = base::divide_round_up(std::max<std::int64_t>(1, product.contracted), array);
  problem.output_rows = problem.batch * problem.rows;
  problem.splits_without_halo = problem.rows;
  return problem;
}

/// Rows of the stationary operand that change sublanes. The registers of a weight tile have the contraction in the
/// sublanes, or in the lanes with the columns in the sublanes. If another dimension is there, every weight tile is
/// collected from as many layout tiles as it has rows.
std::int64_t collected_rows(const hlo::Shape& stationary, const std::vector<int>& contracted,
                            const std::vector<int>& batch, std::int64_t lanes) {
  if (stationary.rank() < 3 || is_minor(stationary, 0, batch)) return 0;
  const bool of_a_tile =
      is_minor(stationary, 0, contracted) ? !is_minor(stationary, 1, batch) : is_minor(stationary, 1, contracted);
  if (of_a_tile) return 0;
  return padded_row_pieces(stationary, lanes);
}

/// Rows that stream past a weight tile, with the sublanes of the result padded if they are rows. A dimension of one
/// element is none for a product: its rows are packed, if that is less work than to move those of the result.
void pad_rows(MatmulProblem& problem, const hlo::Shape& result, std::int64_t rows, const std::vector<int>& of_rows,
              const hw::parts::mxu::Parameters& unit) {
  problem.rows = base::round_up(rows, hlo::tile_sublanes);
  if (!is_minor(result, 1, of_rows)) return;
  const std::int64_t size = std::max<std::int64_t>(1, result.dimensions[std::size_t(result.minor_dimension(1))]);
  const std::int64_t packed = std::exchange(problem.rows, rows / size * base::round_up(size, hlo::tile_sublanes));
  if (size > 1) return;
  const auto cycles_of = [&](std::int64_t streamed) {
    return std::max(streamed, unit.weight_load(problem.depth).value());
  };
  const std::int64_t tiles = base::divide_round_up(problem.weight_tiles(unit.size), unit.count);
  const std::int64_t moved = problem.batch * rows * base::divide_round_up(problem.lanes, unit.size);
  if (tiles * (cycles_of(problem.rows) - cycles_of(packed)) <= moved) return;
  problem.rows = packed;
  problem.moved_output_rows = moved;
}

/// Rows or registers of a weight tile that are pushed: registers of eight rows, or, transposed, of eight columns, which
/// takes twice as long.
std::int64_t pushed_depth(std::int64_t contracted, std::int64_t columns, bool transposed, std::int64_t array) {
  const auto in_a_tile = [&](std::int64_t extent) {
    extent = std::max<std::int64_t>(1, extent);
    return base::round_up(base::divide_round_up(extent, base::divide_round_up(extent, array)), hlo::tile_sublanes);
  };
  return std::min(array, transposed ? 2 * in_a_tile(columns) : in_a_tile(contracted));
}

/// A product with what the layouts of its operands and its result cost.
MatmulProblem product_with_layouts(const BatchedProduct& product, const ProductRoles& roles, const hlo::Shape& result,
                                   const hlo::Shape& lhs, const hlo::Shape& rhs,
                                   const hw::parts::mxu::Parameters& unit) {
  const std::int64_t array = unit.size;
  MatmulProblem problem = product_problem(product, array);
  const bool streams_lhs = problem.row_operand == 0;
  const hlo::Shape& stationary = streams_lhs ? rhs : lhs;
  const hlo::DotDimensions& dims = roles.dimensions;
  const std::vector<int>& contracted = streams_lhs ? dims.rhs_contracting : dims.lhs_contracting;
  const std::int64_t columns = streams_lhs ? product.rhs_free : product.lhs_free;
  problem.depth = pushed_depth(product.contracted, columns, is_minor(stationary, 0, contracted), array);
  const std::vector<int>& batch = streams_lhs ? dims.rhs_batch : dims.lhs_batch;
  problem.moved_lane_rows = collected_rows(stationary, contracted, batch, array);
  if (problem.moved_lane_rows > 0) problem.stationary = strided_operand(stationary, batch, contracted);
  pad_rows(problem, result, streams_lhs ? product.lhs_free : product.rhs_free,
           streams_lhs ? roles.lhs_free : roles.rhs_free, unit);
  problem.output_rows = problem.batch * problem.rows;
  problem.splits_without_halo = problem.rows;
  return problem;
}

MatmulProblem problem_without_passes(const hlo::Instruction& instruction, const hlo::Shape& lhs, const hlo::Shape& rhs,
                                     const hw::parts::mxu::Parameters& unit) {
  const std::optional<BatchedProduct> product =
      instruction.opcode == hlo::Opcode::dot ? product_of(instruction, lhs, rhs) : as_batched_product(instruction, lhs);
  return product ? product_with_layouts(*product, roles_of(instruction, lhs, rhs), instruction.shape, lhs, rhs, unit)
                 : convolution_problem(instruction, lhs, rhs, unit.size);
}

}  // namespace

std::int64_t MatmulProblem::weight_tiles(std::int64_t array) const {
  return batch * stationary_blocks * contraction_tiles * precision_passes * base::divide_round_up(lanes, array);
}

MatmulProblem matmul_problem(const hlo::Instruction& instruction, const hlo::Shape& lhs, const hlo::Shape& rhs,
                             const hw::parts::mxu::Parameters& unit) {
  MatmulProblem problem = problem_without_passes(instruction, lhs, rhs, unit);
  const ProductArithmetic arithmetic = product_arithmetic(instruction, lhs.element_type, rhs.element_type, unit);
  problem.precision_passes = arithmetic.passes;
  problem.product = arithmetic.product;
  return problem;
}

double input_share_read(const hlo::Instruction& convolution, const hlo::Shape& input) {
  if (convolution.window.empty()) return 1;
  const hlo::WindowDimension& outer = convolution.window.front();
  const std::int64_t rows = input.dimensions[convolution.convolution->input_spatial.front()];
  if (rows == 0) return 1;  // an image without pixels: the windows cover padding alone
  const std::int64_t outputs = convolution.shape.dimensions[convolution.convolution->output_spatial.front()];
  return double(hlo::transform::window_inputs(rows, outputs, outer)) / double(rows);
}

}  // namespace podsim::sw::compiler::tiles
