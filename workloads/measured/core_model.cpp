// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/core_model.h"

#include <algorithm>
#include <utility>

#include "sw/compiler/tiles/op_work.h"
#include "sw/driver/compile.h"
#include "sw/ir/transform/flops.h"

namespace podsim::workloads::measured {
namespace {

constexpr double op_floor_s = 0.4e-6;

double peak_flops(const hw::Machine& machine) {
  return 2.0 * double(machine.mxu.count * machine.mxu.size * machine.mxu.size) * machine.clock.si();
}

}  // namespace

double CoreModel::roofline_s(std::optional<double> flops, std::optional<double> bytes) const {
  return op_floor_s +
         std::max(flops.value_or(0) / peak_flops(machine_), bytes.value_or(0) / machine_.hbm.stream_rate.si());
}

CoreModel::Times CoreModel::times_of(sw::ir::Module module) { return times_of(std::move(module), false); }

CoreModel::Times CoreModel::product_times_of(sw::ir::Module module) { return times_of(std::move(module), true); }

CoreModel::Times CoreModel::times_of(sw::ir::Module module, bool products_alone) {
  const sw::ir::Module fused = sw::driver::fused(std::move(module), machine_);
  const sw::ir::Computation& entry = fused.entry_computation();
  Times sum;
  for (sw::ir::InstructionId id = 0; id < sw::ir::InstructionId(entry.instructions.size()); ++id) {
    if (!sw::compiler::tiles::is_core_op(entry, id)) continue;
    if (products_alone && !sw::compiler::tiles::category_of(fused, entry[id]).starts_with("convolution")) continue;
    sum.modelled_s += double(costs_.cycles(fused, entry, id).value()) / machine_.clock.si();
    const sw::ir::transform::Cost cost = sw::ir::transform::cost(fused, entry, id);
    sum.roofline_s += roofline_s(double(cost.flops), double(cost.bytes.value()));
  }
  return sum;
}

}  // namespace podsim::workloads::measured
