// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/agreement.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "hw/bundle/bundle_run.h"
#include "hw/tile_pipeline.h"

namespace podsim::sw {
namespace {

const KernelFamily& family_of(const std::string& name) {
  for (const KernelFamily& family : kernel_families()) {
    if (family.name == name) return family;
  }
  throw std::logic_error("no kernel is called " + name);
}

base::Cycles bundle_cycles(const hw::Machine& machine, const Kernel& kernel) {
  hw::DeviceMemory hbm(machine.hbm.capacity_per_core);
  hw::BundleRunOptions options;
  options.functional = false;
  return run_bundles(machine, kernel.program, hbm, options).cycles;
}

}  // namespace

Kernel build_kernel(const hw::Machine& machine, const KernelChoice& choice) {
  const KernelFamily& family = family_of(choice.family);
  KernelArguments arguments;
  for (const KernelParameter& parameter : family.parameters) arguments.values[parameter.name] = parameter.preset;
  for (const auto& [name, value] : choice.values) {
    if (!arguments.values.contains(name)) throw std::logic_error(choice.family + " has no parameter " + name);
    arguments.values[name] = value;
  }
  return family.build(machine, arguments);
}

std::vector<LevelComparison> compare_levels(const hw::Machine& machine, const std::vector<KernelChoice>& kernels,
                                            const std::function<void(std::size_t)>& done) {
  std::vector<LevelComparison> comparisons;
  for (const KernelChoice& choice : kernels) {
    const Kernel kernel = build_kernel(machine, choice);
    comparisons.push_back({kernel.name, bundle_cycles(machine, kernel), simulate_op(machine, kernel.tile_op).cycles});
    if (done) done(comparisons.size());
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

}  // namespace podsim::sw
