// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/agreement.h"
#include "sw/codegen/kernel_families.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "hw/bundle/bundle_activity.h"
#include "hw/bundle/bundle_run.h"
#include "hw/energy/event_energy.h"
#include "hw/timing/tile_pipeline.h"

namespace podsim::validation::kernels {
namespace {

const sw::codegen::families::KernelFamily& family_of(const std::string& name) {
  for (const sw::codegen::families::KernelFamily& family : sw::codegen::kernel_families()) {
    if (family.name == name) return family;
  }
  throw std::logic_error("no kernel is called " + name);
}

hw::bundle::BundleRunResult run_of_bundles(const sw::TargetMachine& machine,
                                           const sw::codegen::families::Kernel& kernel) {
  hw::memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  hw::bundle::BundleRunOptions options;
  options.functional = false;
  return hw::bundle::run_bundles(machine, kernel.program, hbm, options);
}

}  // namespace

sw::codegen::families::Kernel build_kernel(const sw::TargetMachine& machine, const KernelChoice& choice) {
  const sw::codegen::families::KernelFamily& family = family_of(choice.family);
  sw::codegen::families::KernelArguments arguments;
  for (const sw::codegen::families::KernelParameter& parameter : family.parameters)
    arguments.values[parameter.name] = parameter.preset;
  for (const auto& [name, value] : choice.values) {
    if (!arguments.values.contains(name)) throw std::logic_error(choice.family + " has no parameter " + name);
    arguments.values[name] = value;
  }
  return family.build(machine, arguments);
}

std::vector<LevelComparison> compare_levels(const sw::TargetMachine& machine, const std::vector<KernelChoice>& kernels,
                                            const std::function<void(const LevelComparison&)>& done) {
  std::vector<LevelComparison> comparisons;
  for (const KernelChoice& choice : kernels) {
    const sw::codegen::families::Kernel kernel = build_kernel(machine, choice);
    const hw::bundle::BundleRunResult bundles = run_of_bundles(machine, kernel);
    comparisons.push_back({kernel.name, bundles.cycles, hw::timing::simulate_op(machine, kernel.tile_op).cycles,
                           bundles.hbm_read + bundles.hbm_written, compiled_run(kernel, machine),
                           hw::energy::event_total(machine, hw::bundle::bundle_activity(machine, bundles)),
                           hw::energy::event_total(machine, hw::activity(machine, kernel.tile_op))});
    if (done) done(comparisons.back());
  }
  return comparisons;
}

Agreement agreement_of(const std::vector<LevelComparison>& comparisons) {
  std::vector<double> errors;
  for (const LevelComparison& comparison : comparisons) errors.push_back(std::abs(comparison.error()));
  if (errors.empty()) return {};
  std::ranges::sort(errors);
  const std::size_t middle = errors.size() / 2;
  const double median = errors.size() % 2 == 1 ? errors[middle] : (errors[middle - 1] + errors[middle]) / 2;
  return {median, errors.back()};
}

}  // namespace podsim::validation::kernels
