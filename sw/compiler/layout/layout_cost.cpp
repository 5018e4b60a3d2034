// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout/layout_cost.h"

#include <algorithm>

#include "base/units.h"
#include "sw/compiler/tiles/matmul_problem.h"
#include "sw/compiler/tiles/vector_cost.h"
#include "sw/ir/transform/flops.h"

namespace podsim::sw::compiler::layout {
namespace {

double matrix_cycles(const ir::Computation& computation, const ir::Instruction& product, const hw::Machine& machine) {
  const tiles::MatmulProblem problem = tiles::matmul_problem(product, computation[product.operands[0]].shape,
                                                             computation[product.operands[1]].shape, machine.mxu.size);
  const std::int64_t tiles = base::divide_round_up(problem.weight_tiles(machine.mxu.size), machine.mxu.count);
  const std::int64_t rows = std::max(problem.rows, machine.mxu.weight_load.value());
  return double(tiles * rows) +
         double((problem.row_rotations + problem.output_transposes) * machine.cross_lane.interval.value());
}

}  // namespace

double unit_cycles(const ir::Computation& computation, const ir::Instruction& instruction, const hw::Machine& machine) {
  if (instruction.shape.is_tuple() || instruction.phase != ir::AsyncPhase::none) return 0;
  if (instruction.shape.element_count() == 0) return 0;
  if (ir::transform::is_matmul(instruction.opcode)) return matrix_cycles(computation, instruction, machine);
  const hw::VectorWork vector = tiles::vector_cost(instruction, computation, machine.compiler);
  const std::int64_t cross_lane = tiles::cross_lane_cost(instruction, computation, machine.compiler);
  return double(vector.alu_ops) / double(machine.vector.alus) + double(vector.loads) / double(machine.vector.loads) +
         double(vector.stores) / double(machine.vector.stores) +
         double(vector.transcendentals * machine.vector.transcendental_interval.value()) +
         double(cross_lane * machine.cross_lane.interval.value());
}

}  // namespace podsim::sw::compiler::layout
