// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout/layout_cost.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/units.h"
#include "sw/compiler/tiles/matmul_problem.h"
#include "sw/compiler/tiles/vector_cost.h"
#include "sw/ir/tile_order.h"
#include "sw/ir/transform/flops.h"

namespace podsim::sw::compiler::layout {
namespace {

constexpr double forbidden = 1e15;  ///< cycles

double matrix_cycles(const ir::Computation& computation, const ir::Instruction& product, const hw::Machine& machine) {
  const tiles::MatmulProblem problem = tiles::matmul_problem(product, computation[product.operands[0]].shape,
                                                             computation[product.operands[1]].shape, machine.mxu.size);
  const std::int64_t tiles = base::divide_round_up(problem.weight_tiles(machine.mxu.size), machine.mxu.count);
  const std::int64_t rows = std::max(problem.rows, machine.mxu.weight_load.value());
  return double(tiles * rows) +
         double((problem.row_rotations + problem.output_transposes) * machine.cross_lane.interval.value());
}

/// Dimensions of a shape that have more than one element, major to minor in the text or in memory.
std::vector<int> long_dimensions(const ir::Shape& shape, bool in_memory) {
  std::vector<int> dimensions;
  for (int i = 0; i < shape.rank(); ++i) {
    const int dimension = in_memory ? shape.minor_dimension(shape.rank() - 1 - i) : i;
    if (shape.dimensions[std::size_t(dimension)] != 1) dimensions.push_back(dimension);
  }
  return dimensions;
}

/// Numbers the runs of dimensions that two shapes of one number of elements have in common: [2,3,4] and [6,4] have
/// the runs {2,3} and {4}, which are {6} and {4}. Returns the run of every dimension of each.
std::pair<std::vector<int>, std::vector<int>> common_runs(const ir::Shape& a, const ir::Shape& b) {
  std::vector<int> run_of_a(a.dimensions.size(), -1), run_of_b(b.dimensions.size(), -1);
  const std::vector<int> in_a = long_dimensions(a, false), in_b = long_dimensions(b, false);
  std::int64_t product_a = 1, product_b = 1;
  int run = 0;
  for (std::size_t i = 0, j = 0; i < in_a.size() || j < in_b.size();) {
    if (i < in_a.size() && (product_a <= product_b || j == in_b.size())) {
      product_a *= a.dimensions[std::size_t(in_a[i])];
      run_of_a[std::size_t(in_a[i++])] = run;
    } else {
      product_b *= b.dimensions[std::size_t(in_b[j])];
      run_of_b[std::size_t(in_b[j++])] = run;
    }
    if (product_a == product_b && product_a != 1) {
      ++run;
      product_a = product_b = 1;
    }
  }
  return {run_of_a, run_of_b};
}

/// The runs of a shape from major to minor in memory; empty if one is not in the order of the text.
std::vector<int> runs_in_memory(const ir::Shape& shape, const std::vector<int>& run_of) {
  std::vector<int> runs;
  int last = -1;
  for (const int dimension : long_dimensions(shape, true)) {
    const int run = run_of[std::size_t(dimension)];
    const bool goes_on = !runs.empty() && runs.back() == run;
    if (goes_on ? dimension < last : std::ranges::find(runs, run) != runs.end()) return {};
    if (!goes_on) runs.push_back(run);
    last = dimension;
  }
  return runs;
}

}  // namespace

bool is_renaming(const ir::Instruction& reshape, const ir::Shape& operand) {
  if (reshape.shape.element_count() <= 1 || ir::same_places(operand, reshape.shape)) return true;
  const auto [of_operand, of_result] = common_runs(operand, reshape.shape);
  const std::vector<int> before = runs_in_memory(operand, of_operand), after = runs_in_memory(reshape.shape, of_result);
  return !before.empty() && before == after;
}

std::optional<std::vector<int>> order_for_renaming(const ir::Shape& from, const ir::Shape& to) {
  const auto [of_from, of_to] = common_runs(from, to);
  std::vector<int> runs = runs_in_memory(from, of_from);
  if (runs.empty()) return std::nullopt;
  const std::vector<int> dimensions = long_dimensions(to, false);
  std::vector<int> order;
  std::ranges::reverse(runs);
  for (const int run : runs) {
    for (std::size_t i = dimensions.size(); i-- > 0;) {
      if (of_to[std::size_t(dimensions[i])] == run) order.push_back(dimensions[i]);
    }
  }
  for (int dimension = to.rank(); dimension-- > 0;) {
    if (to.dimensions[std::size_t(dimension)] == 1) order.push_back(dimension);
  }
  return order;
}

double unit_cycles(const ir::Computation& computation, ir::InstructionId id, const hw::Machine& machine) {
  const ir::Instruction& instruction = computation[id];
  if (instruction.shape.is_tuple() || instruction.phase != ir::AsyncPhase::none) return 0;
  if (instruction.shape.element_count() == 0) return 0;
  if (ir::transform::is_matmul(instruction.opcode)) return matrix_cycles(computation, instruction, machine);
  if (instruction.opcode == ir::Opcode::reshape &&
      !is_renaming(instruction, computation[instruction.operands[0]].shape)) {
    return forbidden;
  }
  const hw::VectorWork vector = tiles::vector_cost(instruction, computation, machine.compiler);
  const std::int64_t cross_lane = tiles::cross_lane_cost(instruction, computation, machine.compiler);
  return double(vector.alu_ops) / double(machine.vector.alus) + double(vector.loads) / double(machine.vector.loads) +
         double(vector.stores) / double(machine.vector.stores) +
         double(vector.transcendentals * machine.vector.transcendental_interval.value()) +
         double(cross_lane * machine.cross_lane.interval.value());
}

}  // namespace podsim::sw::compiler::layout
