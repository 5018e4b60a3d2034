// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout/layout_cost.h"

#include <algorithm>

#include "base/units.h"
#include "hlo/transform/flops.h"
#include "sw/compiler/tiles/matmul_problem.h"
#include "sw/compiler/tiles/vector_cost.h"

namespace podsim::sw::compiler::layout {
namespace {

double matrix_cycles(const hlo::Computation& computation, const hlo::Instruction& product,
                     const TargetMachine& machine) {
  const tiles::MatmulProblem problem = tiles::matmul_problem(product, computation[product.operands[0]].shape,
                                                             computation[product.operands[1]].shape, machine.mxu);
  const std::int64_t tiles = base::divide_round_up(problem.weight_tiles(machine.mxu.size), machine.mxu.count);
  const std::int64_t rows = std::max(problem.rows, machine.mxu.weight_load(problem.depth).value());
  const std::int64_t moves =
      tiles::registers_of_tiles(problem.row_rotations + problem.output_transposes, machine.vector);
  return double(tiles * rows) / double(machine.mxu.products(problem.product)) +
         double(problem.moved_row_rows + problem.moved_lane_rows + problem.moved_output_rows) /
             double(machine.vector.stores) +
         double(moves * hw::CrossLane::parameters(machine).interval.value());
}

}  // namespace

double unit_cycles(const hlo::Computation& computation, const hlo::Instruction& instruction,
                   const TargetMachine& machine) {
  if (instruction.shape.is_tuple() || instruction.phase != hlo::AsyncPhase::none) return 0;
  if (instruction.shape.element_count() == 0) return 0;
  if (hlo::transform::is_matmul(instruction.opcode)) return matrix_cycles(computation, instruction, machine);
  const hw::VectorWork vector = tiles::vector_cost(instruction, computation, machine);
  const std::int64_t moves = tiles::lane_moves_of(instruction, computation, machine);
  return double(vector.alu_ops) / double(machine.vector.alus) + double(vector.loads) / double(machine.vector.loads) +
         double(vector.stores) / double(machine.vector.stores) +
         double(vector.transcendentals * machine.vector.transcendental_interval.value()) +
         double(moves * hw::CrossLane::parameters(machine).interval.value());
}

}  // namespace podsim::sw::compiler::layout
