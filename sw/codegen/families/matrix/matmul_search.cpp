// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/matmul_search.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/families/compiled_tiles.h"
#include "sw/codegen/families/matrix/matrix_grid.h"
#include "sw/compiler/tiles/tile_search.h"

namespace podsim::sw::codegen::families::matrix {

using base::divide_round_up;
using compiler::tiles::Tiling;

namespace {

class MatmulTiles {
 public:
  MatmulTiles(const TargetMachine& machine, const KernelMatmul& problem, const MatmulAddresses& addresses)
      : machine_(machine), problem_(problem), addresses_(addresses) {}

  /// The blocks of a tiling of the compiler in whole registers and weight tiles.
  MatmulPlan plan(const Tiling& tiling) const {
    const std::int64_t contraction = std::max<std::int64_t>(1, problem_.contraction_tiles());
    MatmulTiling blocks{divide_round_up(problem_.row_blocks(), tiling.rows),
                        divide_round_up(problem_.lane_blocks(), tiling.lanes),
                        divide_round_up(contraction, tiling.contraction),
                        !tiling.rows_outer,
                        {},
                        0};
    const MatrixPassGrid chosen =
        choose_grid(machine_, blocks.rows, blocks.lanes, weight_cycles(machine_, problem_.transposed));
    blocks.grid = chosen.grid;
    blocks.registers = chosen.registers;
    return MatmulPlan(problem_, blocks, addresses_);
  }

  base::Bytes vmem(const MatmulPlan& plan) const {
    return base::Bytes(plan.tiles().vmem_rows() * builder::vmem_row_bytes);
  }
  bool fits(const Tiling& tiling) const { return vmem(plan(tiling)) <= machine_.vmem; }

  /// The tiling with its longest blocks halved until they fit.
  Tiling divided(Tiling tiling) const {
    while (!fits(tiling)) {
      const MatmulTiling blocks = plan(tiling).tiling();
      const std::int64_t rows = blocks.rows, lanes = blocks.lanes * builder::weight_registers,
                         contraction = blocks.contraction * builder::weight_registers;
      if (std::max({blocks.rows, blocks.lanes, blocks.contraction}) == 1) reject_vmem(vmem(plan(tiling)), machine_);
      if (blocks.contraction > 1 && contraction >= std::max(rows, lanes)) {
        tiling.contraction *= 2;
      } else if (blocks.lanes > 1 && (lanes >= rows || blocks.rows == 1)) {
        tiling.lanes *= 2;
      } else {
        (blocks.rows > 1 ? tiling.rows : tiling.contraction) *= 2;
      }
    }
    return tiling;
  }

 private:
  const TargetMachine& machine_;
  const KernelMatmul& problem_;
  const MatmulAddresses& addresses_;
};

}  // namespace

hlo::Module with_epilogue(const KernelMatmul& problem, hlo::build::GraphBuilder& graph, hlo::InstructionId a,
                          hlo::InstructionId b) {
  std::optional<hlo::InstructionId> bias;
  if (problem.bias) bias = graph.parameter(hlo::make_shape(hlo::ElementType::f32, {problem.n}), "bias");
  hlo::InstructionId sums = graph.dot(a, b, {{}, {}, {1}, {problem.transposed ? 1 : 0}});
  if (bias || problem.activation != builder::Activation::none) sums = graph.convert(sums, hlo::ElementType::f32);
  return std::move(graph).build(problem.epilogue().reference(graph, sums, bias));
}

hlo::Module matmul_op(const KernelMatmul& problem) {
  hlo::build::GraphBuilder graph("matmul");
  const hlo::ElementType type = problem.packed ? hlo::ElementType::bf16 : hlo::ElementType::f32;
  const std::vector<std::int64_t> b_sizes =
      problem.transposed ? std::vector{problem.n, problem.k} : std::vector{problem.k, problem.n};
  const hlo::InstructionId a = graph.parameter(hlo::make_shape(type, {problem.m, problem.k}), "a");
  return with_epilogue(problem, graph, a, graph.parameter(hlo::make_shape(type, b_sizes), "b"));
}

MatmulPlan compiled_matmul_plan(const TargetMachine& machine, const KernelMatmul& problem,
                                const MatmulAddresses& addresses) {
  const MatmulTiles tiles(machine, problem, addresses);
  if (problem.in_vmem) {
    MatmulPlan whole = tiles.plan({});
    if (tiles.vmem(whole) > machine.vmem) reject_vmem(tiles.vmem(whole), machine);
    return whole;
  }
  const Tiling tiling = compiler::tiles::choose_tiling(work_of_op(matmul_op(problem), machine), machine, "matmul",
                                                       [&](const Tiling& candidate) { return tiles.fits(candidate); });
  return tiles.plan(tiles.divided(tiling));
}

}  // namespace podsim::sw::codegen::families::matrix
