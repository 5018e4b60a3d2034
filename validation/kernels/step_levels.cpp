// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/step_levels.h"

#include "base/diagnostic.h"
#include "hw/memory/device_memory.h"
#include "hw/timing/tile_pipeline.h"
#include "sw/codegen/fusion/fusion_kernel.h"
#include "sw/codegen/fusion/no_code.h"
#include "validation/kernels/error_bound.h"

namespace podsim::validation::kernels {

namespace {

std::int64_t elements_of(const sw::codegen::families::Kernel& kernel) {
  std::int64_t elements = 0;
  for (const auto& array : kernel.inputs) elements += array.shape.element_count();
  for (const auto& array : kernel.outputs) elements += array.shape.element_count();
  return elements;
}

void run(OpLevels& levels, const sw::codegen::families::Kernel& kernel, const sw::TargetMachine& machine,
         bool verifies) {
  hw::memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  std::vector<hlo::Literal> inputs;
  if (verifies) inputs = random_inputs(kernel, 1, InputKind::finite);
  for (std::size_t i = 0; i < inputs.size(); ++i) sw::codegen::families::write_array(hbm, kernel.inputs[i], inputs[i]);
  hw::bundle::BundleRunOptions options;
  options.functional = verifies;
  levels.bundles = hw::bundle::run_bundles(machine, kernel.program, hbm, options);
  if (!verifies) return;
  try {
    levels.verification = verify_outputs(kernel, inputs, hbm);
  } catch (const NoBound&) {
    levels.has_bound = false;
  }
}

}  // namespace

OpLevels levels_of(const sw::driver::Step& step, const StepOp& op, const sw::TargetMachine& machine,
                   std::int64_t verified_elements) {
  OpLevels levels{.op = op};
  levels.step = hw::timing::simulate_op(machine, step.program.ops[std::size_t(op.compiled)].tiles).cycles;
  try {
    const sw::codegen::families::Kernel kernel = sw::codegen::fusion::build_fusion(
        machine, step.module, step.module.computations[std::size_t(op.computation)], op.id);
    levels.tile = hw::timing::simulate_op(machine, kernel.tile_op).cycles;
    run(levels, kernel, machine, elements_of(kernel) <= verified_elements);
  } catch (const sw::codegen::fusion::NoCode& none) {
    levels.cause = none.cause();
  } catch (const base::SimulationError&) {
    levels.cause = "simulation";
  }
  return levels;
}

}  // namespace podsim::validation::kernels
