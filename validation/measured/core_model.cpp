// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/core_model.h"

#include <algorithm>
#include <utility>

#include "hlo/transform/flops.h"
#include "sw/compiler/tiles/core_op.h"
#include "sw/driver/compile.h"

namespace podsim::validation::measured {
namespace {

constexpr double op_floor_s = 0.4e-6;

}  // namespace

double CoreModel::roofline_s(std::optional<double> flops, std::optional<double> bytes) const {
  return op_floor_s + std::max(flops.value_or(0) / machine_.peak_flops_per_core(),
                               bytes.value_or(0) / machine_.hbm.stream_rate.si());
}

CoreModel::Times CoreModel::times_of(hlo::Module module, const sw::driver::CompilerYear& compiler) {
  return times_of(sw::driver::fused(std::move(module), machine_, compiler), false);
}

CoreModel::Times CoreModel::product_times_of(hlo::Module module, const sw::driver::CompilerYear& compiler) {
  return times_of(sw::driver::fused(std::move(module), machine_, compiler), true);
}

CoreModel::Times CoreModel::times_of(const hlo::Module& fused, bool products_alone) {
  const hlo::Computation& entry = fused.entry_computation();
  Times sum;
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry.instructions.size()); ++id) {
    if (!sw::compiler::tiles::is_core_op(entry, id)) continue;
    if (products_alone && !sw::compiler::tiles::category_of(fused, entry[id]).starts_with("convolution")) continue;
    sum.modelled_s += double(costs_.cycles(fused, entry, id).value()) / machine_.clock.si();
    const hlo::transform::Cost cost = hlo::transform::cost(fused, entry, id);
    sum.roofline_s += roofline_s(double(cost.flops), double(cost.bytes.value()));
  }
  return sum;
}

}  // namespace podsim::validation::measured
