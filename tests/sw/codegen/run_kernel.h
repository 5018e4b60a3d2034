// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "hlo/literal.h"
#include "hw/bundle/bundle_run.h"
#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen {

/// A family's defaults with some values replaced: {{"m", "7"}, {"dtype", "bf16"}}.
inline families::KernelArguments arguments_of(const families::KernelFamily& family,
                                              const std::map<std::string, std::string>& values) {
  families::KernelArguments arguments;
  for (const families::KernelParameter& parameter : family.parameters)
    arguments.values[parameter.name] = parameter.preset;
  for (const auto& [name, value] : values) arguments.values.at(name) = value;
  return arguments;
}

/// Uniform in (-2, 2), rounded to the type; with `special` also a NaN and both infinities, where there is room.
inline hlo::Literal random_literal(const hlo::Shape& shape, std::mt19937& random, bool special = false) {
  hlo::Literal literal{shape, {}, {}};
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (std::int64_t i = 0; i < shape.element_count(); ++i) {
    literal.values.push_back(hlo::round_to(shape.element_type, uniform(random)));
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (special && literal.values.size() > 3) {
    for (double value : {std::nan(""), infinity, -infinity}) literal.values[random() % literal.values.size()] = value;
  }
  return literal;
}

struct KernelOutcome {
  hlo::Literal output;
  hw::bundle::BundleRunResult run;
};

/// Runs a kernel of one output on the inputs.
inline KernelOutcome run_kernel(const hw::Machine& machine, const families::Kernel& kernel,
                                std::span<const hlo::Literal> inputs, hw::bundle::BundleRunOptions options = {}) {
  options.before = kernel.before;
  options.after = kernel.after;
  hw::memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  for (std::size_t i = 0; i < inputs.size(); ++i) families::write_array(hbm, kernel.inputs[i], inputs[i]);
  hw::bundle::BundleRunResult run = hw::bundle::run_bundles(machine, kernel.program, hbm, options);
  return {families::read_array(hbm, kernel.outputs[0]), std::move(run)};
}

inline std::vector<hlo::Literal> random_inputs_of(const families::Kernel& kernel, std::uint32_t seed,
                                                  bool special = false) {
  std::mt19937 random(seed);
  std::vector<hlo::Literal> inputs;
  for (const families::KernelArray& array : kernel.inputs)
    inputs.push_back(random_literal(array.shape, random, special));
  return inputs;
}

/// Cycles that a kernel was measured to take on silicon; 0 where the measurements are absent.
std::int64_t measured_cycles(const std::string& kernel, const std::string& shape);

}  // namespace podsim::sw::codegen
