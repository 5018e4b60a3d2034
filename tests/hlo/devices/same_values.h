// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "hlo/build/verify.h"
#include "hlo/devices/device_program.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

/// Compares the program of several devices with the one that it is made from.
namespace podsim::hlo::devices::testing {

/// Evaluates `whole` for the arguments of each replica and its program on the devices of a plan, and expects that every
/// device has the bits of the whole program's results that it holds, and that some device holds each.
inline void expect_same_values(const Module& whole, const DevicePlan& plan,
                               const std::vector<std::vector<Literal>>& arguments) {
  const std::vector<Literal> expected = eval::evaluate_partitions(whole, arguments);
  const DeviceProgram program = write_device_program(whole, plan);
  build::verify(program.module);
  const Computation& entry = program.module.entry_computation();
  std::vector<std::vector<Literal>> own;
  for (std::size_t at = 0; at < arguments.size() * std::size_t(plan.devices); ++at) {
    std::vector<Literal>& of_device = own.emplace_back();
    for (const InstructionId id : entry.parameters) of_device.push_back(make_zeros(entry[id].shape));
    const std::vector<std::int64_t>& parameters = program.parameter_of[at % std::size_t(plan.devices)];
    for (std::size_t number = 0; number < parameters.size(); ++number) {
      if (parameters[number] < 0) continue;
      of_device[std::size_t(parameters[number])] = arguments[at / std::size_t(plan.devices)][number];
    }
  }
  const std::vector<Literal> results = eval::evaluate_partitions(program.module, own);
  std::vector<int> holders(program.result_of.front().size(), 0);
  for (std::size_t at = 0; at < results.size(); ++at) {
    const Literal& whole_result = expected[at / std::size_t(plan.devices)];
    const std::vector<std::int64_t>& numbers = program.result_of[at % std::size_t(plan.devices)];
    for (std::size_t result = 0; result < numbers.size(); ++result) {
      if (numbers[result] < 0) continue;
      ++holders[result];
      const Literal& wanted = whole_result.elements.empty() ? whole_result : whole_result.elements[result];
      EXPECT_TRUE(hlo::testing::same_bits(results[at].elements[std::size_t(numbers[result])], wanted))
          << "result " << result << " on device " << at;
    }
  }
  for (const int count : holders) EXPECT_GT(count, 0);
}

/// Random arguments of a program.
inline std::vector<Literal> random_arguments(const Module& module, unsigned seed) {
  std::vector<Literal> arguments;
  for (const InstructionId id : module.entry_computation().parameters) {
    arguments.push_back(hlo::testing::random_literal(module.entry_computation()[id].shape, seed++, -0.5, 0.5));
  }
  return arguments;
}

}  // namespace podsim::hlo::devices::testing
