// SPDX-License-Identifier: Apache-2.0
#include "report/kernel_report.h"

#include <numeric>

#include "hw/bundle/bundle_activity.h"
#include "hw/energy/core_power.h"
#include "hw/energy/event_energy.h"

namespace podsim::report {
namespace {

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::uint64_t words_of(const std::vector<sw::codegen::families::KernelArray>& arrays) {
  std::uint64_t words = 0;
  for (const sw::codegen::families::KernelArray& array : arrays)
    words += sw::codegen::families::array_words(array.shape);
  return words;
}

}  // namespace

ClosedForm closed_form(const hw::Machine& machine, const sw::codegen::families::Kernel& kernel) {
  const double bytes = 4.0 * double(words_of(kernel.inputs) + words_of(kernel.outputs));
  return {kernel.flops() / machine.peak_flops_per_core(), bytes / machine.hbm.stream_rate.si()};
}

double KernelReport::time_s() const { return double(result.cycles.value()) / machine.clock.si(); }

double KernelReport::joules() const {
  return hw::energy::event_total(machine, hw::bundle::bundle_activity(machine, result));
}

double KernelReport::tile_joules() const { return hw::energy::event_total(machine, generated->tiles); }

double KernelReport::watts() const {
  return hw::energy::idle_core_watts(machine) + (time_s() > 0 ? joules() / time_s() : 0);
}

double KernelReport::mxu_utilization() const {
  base::Cycles busy;
  for (base::Cycles unit : result.matrix_busy) busy += unit;
  return share(double(busy.value()), double(result.cycles.value()) * double(result.matrix_busy.size()));
}

double KernelReport::hbm_utilization() const {
  const double bytes = double((result.hbm_read + result.hbm_written).value());
  return share(bytes / machine.hbm.stream_rate.si(), time_s());
}

double KernelReport::valu_utilization() const {
  const double operations = double(result.slot_use[std::size_t(hw::isa::Slot::vector0)] +
                                   result.slot_use[std::size_t(hw::isa::Slot::vector1)]);
  return share(operations, 2 * double(result.cycles.value()));
}

}  // namespace podsim::report
