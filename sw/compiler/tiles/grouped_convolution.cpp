// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/grouped_convolution.h"

#include <algorithm>
#include <cstdint>

#include "sw/compiler/tiles/matmul_problem.h"
#include "sw/compiler/tiles/vector_cost.h"

namespace podsim::sw::compiler::tiles {
namespace {

/// bf16 elements share a lane if the lanes compute in bf16.
std::int64_t input_elements_per_lane(const hlo::Shape& input, const VectorUnit& unit) {
  const bool in_bf16 = unit.types == hw::parts::vector::LaneTypes::words_and_bf16;
  return in_bf16 && input.element_type == hlo::ElementType::bf16 ? 2 : 1;
}

/// Registers of products: those of the array that has more, the input of a weight gradient or the result.
double product_registers(const hlo::Instruction& convolution, const hlo::Shape& input, const hlo::Shape& kernel,
                         const VectorUnit& unit) {
  double taps = double(kernel.dimensions[std::size_t(convolution.convolution->kernel_input_feature)]);
  for (const hlo::WindowDimension& d : convolution.window) taps *= double(d.size) / double(d.base_dilation);
  if (convolution.batch_groups > 1) {
    taps *= double(input.dimensions[std::size_t(convolution.convolution->input_batch)] / convolution.batch_groups);
  }
  const hlo::Shape& larger = input.element_count() > convolution.shape.element_count() ? input : convolution.shape;
  const std::int64_t registers = vector_registers(larger, unit, input_elements_per_lane(input, unit));
  const double padding = double(registers) / double(std::max<std::int64_t>(1, larger.element_count()));
  return taps * double(convolution.shape.element_count()) * padding;
}

}  // namespace

hw::VectorWork vector_convolution_work(const hlo::Instruction& convolution, const hlo::Shape& input,
                                       const hlo::Shape& kernel, const VectorUnit& unit) {
  const double registers = product_registers(convolution, input, kernel, unit);
  const int width = std::max(1, hlo::byte_width(input.element_type)) * int(input_elements_per_lane(input, unit));
  const auto count = [&](double per_register) { return std::int64_t(registers * per_register); };
  return {
      .loads = count(std::min(width, 4) / 4.0), .stores = 0, .alu_ops = count(width < 4 ? 3 : 2), .transcendentals = 0};
}

bool runs_on_vector_unit(const hlo::Instruction& convolution, const hlo::Shape& input, const hlo::Shape& kernel,
                         const TargetMachine& machine) {
  if (convolution.opcode != hlo::Opcode::convolution) return false;
  if (convolution.feature_groups == 1 && convolution.batch_groups == 1) return false;
  const MatmulProblem problem = matmul_problem(convolution, input, kernel, machine.mxu);
  const double passes = double(problem.weight_tiles(machine.mxu.size)) / double(machine.mxu.count);
  const double matrix = passes * double(std::max(problem.rows, machine.mxu.weight_load().value())) /
                        double(machine.mxu.products(problem.product));
  const hw::VectorWork work = vector_convolution_work(convolution, input, kernel, machine.vector);
  const double vector =
      std::max(double(work.alu_ops) / double(machine.vector.alus), double(work.loads) / double(machine.vector.loads));
  return vector < matrix;
}

}  // namespace podsim::sw::compiler::tiles
