// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/grouped_convolution.h"

#include <algorithm>
#include <cstdint>

#include "sw/compiler/tiles/matmul_problem.h"
#include "sw/compiler/tiles/vector_cost.h"

namespace podsim::sw::compiler::tiles {
namespace {

/// Registers of products: those of the array that has more, the input of a weight gradient or the result.
double product_registers(const ir::Instruction& convolution, const ir::Shape& input, const ir::Shape& kernel) {
  double taps = double(kernel.dimensions[std::size_t(convolution.convolution->kernel_input_feature)]);
  for (const ir::WindowDimension& d : convolution.window) taps *= double(d.size) / double(d.base_dilation);
  if (convolution.batch_groups > 1) {
    taps *= double(input.dimensions[std::size_t(convolution.convolution->input_batch)] / convolution.batch_groups);
  }
  const ir::Shape& larger = input.element_count() > convolution.shape.element_count() ? input : convolution.shape;
  const double padding = double(vector_registers(larger)) / double(std::max<std::int64_t>(1, larger.element_count()));
  return taps * double(convolution.shape.element_count()) * padding;
}

}  // namespace

hw::VectorWork vector_convolution_work(const ir::Instruction& convolution, const ir::Shape& input,
                                       const ir::Shape& kernel) {
  const double registers = product_registers(convolution, input, kernel);
  const int width = std::max(1, ir::byte_width(input.element_type));
  const auto count = [&](double per_register) { return std::int64_t(registers * per_register); };
  return {
      .loads = count(std::min(width, 4) / 4.0), .stores = 0, .alu_ops = count(width < 4 ? 3 : 2), .transcendentals = 0};
}

bool runs_on_vector_unit(const ir::Instruction& convolution, const ir::Shape& input, const ir::Shape& kernel,
                         const hw::Machine& machine) {
  if (convolution.opcode != ir::Opcode::convolution) return false;
  if (convolution.feature_groups == 1 && convolution.batch_groups == 1) return false;
  const MatmulProblem problem = matmul_problem(convolution, input, kernel, machine.mxu.size);
  const double passes = double(problem.weight_tiles(machine.mxu.size)) / double(machine.mxu.count);
  const double matrix = passes * double(std::max(problem.rows, machine.mxu.weight_load.value()));
  const hw::VectorWork work = vector_convolution_work(convolution, input, kernel);
  const double vector =
      std::max(double(work.alu_ops) / double(machine.vector.alus), double(work.loads) / double(machine.vector.loads));
  return vector < matrix;
}

}  // namespace podsim::sw::compiler::tiles
