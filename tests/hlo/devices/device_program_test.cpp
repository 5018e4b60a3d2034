// SPDX-License-Identifier: Apache-2.0
#include "hlo/devices/device_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "tests/hlo/devices/branchy_program.h"
#include "tests/hlo/devices/same_values.h"

namespace podsim::hlo::devices {
namespace {

/// Every operation on a device at random, weights with their new values, in the order of the text.
DevicePlan random_plan(const Module& module, int devices, unsigned seed) {
  std::mt19937 random(seed);
  const Computation& entry = module.entry_computation();
  DevicePlan plan{.devices = devices};
  for (const Instruction& instruction : entry.instructions) {
    const bool is_on_one =
        instruction.opcode != Opcode::parameter && instruction.opcode != Opcode::constant &&
        !(instruction.opcode == Opcode::broadcast && entry[instruction.operands[0]].opcode == Opcode::constant) &&
        instruction.opcode != Opcode::tuple && instruction.opcode != Opcode::partition_id;
    plan.device.push_back(is_on_one ? int(random() % unsigned(devices)) : all_devices);
  }
  for (const Donation& donation : module.donations) {
    plan.device[std::size_t(entry.parameters[std::size_t(donation.parameter)])] =
        plan.device[std::size_t(entry[entry.root].operands[std::size_t(donation.output)])];
  }
  for (InstructionId id = 0; id < InstructionId(plan.device.size()); ++id) {
    if (plan.device[std::size_t(id)] != all_devices) plan.order.push_back(id);
  }
  return plan;
}

// The oracle is the evaluator on the whole program: forward values, gradients and new weights, to the bit.
TEST(DeviceProgram, RandomStepsHaveTheValuesOfTheWhole) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const Module module = testing::branchy_step(seed, {});
    for (const int devices : {1, 2, 4}) {
      testing::expect_same_values(module, random_plan(module, devices, seed),
                                  {testing::random_arguments(module, seed)});
    }
  }
}

TEST(DeviceProgram, ReplicasAddUpTheirGradients) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    const Module module = testing::branchy_step(seed, {.reduces = true, .numbers = seed % 2 == 0 ? 0 : 3});
    DevicePlan plan = random_plan(module, 2, seed);
    plan.replicas = 3;
    std::vector<std::vector<Literal>> arguments(3, testing::random_arguments(module, seed));
    for (unsigned replica = 0; replica < 3; ++replica) {
      arguments[replica].front() = hlo::testing::random_literal(arguments[replica].front().shape, 100 + replica);
    }
    testing::expect_same_values(module, plan, arguments);
  }
}

// Sums of every second replica, as of batch norms with groups.
TEST(DeviceProgram, GroupsOfReplicasStayGroups) {
  Module module = testing::branchy_step(3, {.reduces = true});
  for (Instruction& instruction : module.computations[std::size_t(module.entry)].instructions) {
    if (instruction.opcode == Opcode::all_reduce) instruction.participants.edit().groups = {{0, 2}, {1, 3}};
  }
  DevicePlan plan = random_plan(module, 2, 3);
  plan.replicas = 4;
  std::vector<std::vector<Literal>> arguments(4, testing::random_arguments(module, 3));
  for (unsigned replica = 0; replica < 4; ++replica) {
    arguments[replica].front() = hlo::testing::random_literal(arguments[replica].front().shape, 100 + replica);
  }
  testing::expect_same_values(module, plan, arguments);
}

// Two independent products: each device has one branch and, of both weights, its own.
TEST(DeviceProgram, StatesOfEqualShapeShareAnEntryParameter) {
  build::GraphBuilder b("two");
  const Shape square = make_shape(ElementType::f32, {4, 4});
  const InstructionId v = b.parameter(square, "v"), w = b.parameter(square, "w");
  const InstructionId root = b.tuple({b.tanh(v), b.tanh(w)});
  Module module = std::move(b).build(root);
  module.donations = {{0, 0, 0}, {1, 1, 0}};
  const DeviceProgram program =
      write_device_program(module, {.devices = 2, .device = {0, 1, 0, 1, -1}, .order = {2, 3}});
  const Computation& entry = program.module.entry_computation();
  EXPECT_EQ(entry.parameters.size(), 1U);
  EXPECT_EQ(program.parameter_of, (std::vector<std::vector<std::int64_t>>{{0, -1}, {-1, 0}}));
  EXPECT_EQ(program.result_of, (std::vector<std::vector<std::int64_t>>{{0, -1}, {-1, 0}}));
  EXPECT_EQ(std::ranges::count(entry.instructions, Opcode::collective_permute, &Instruction::opcode), 0);
}

// One value, read three times on the other device: one transfer, a start and a done.
TEST(DeviceProgram, AValueGoesToADeviceOnce) {
  build::GraphBuilder b("once");
  const InstructionId x = b.parameter(make_shape(ElementType::f32, {8}), "x"), y = b.tanh(x);
  const InstructionId root = b.tuple({b.negate(y), b.exponential(y), b.abs(y)});
  const Module module = std::move(b).build(root);
  const DeviceProgram program =
      write_device_program(module, {.devices = 2, .device = {-1, 0, 1, 1, 1, -1}, .order = {1, 2, 3, 4}});
  const auto& instructions = program.module.entry_computation().instructions;
  EXPECT_EQ(std::ranges::count(instructions, Opcode::collective_permute, &Instruction::opcode), 2);
}

TEST(DeviceProgram, RefusesAnOrderThatReadsWhatIsNotThere) {
  build::GraphBuilder b("late");
  const InstructionId x = b.parameter(make_shape(ElementType::f32, {8}), "x");
  const InstructionId root = b.tanh(b.negate(x));
  const Module module = std::move(b).build(root);
  EXPECT_THROW(write_device_program(module, {.devices = 2, .device = {-1, 0, 1}, .order = {2, 1}}), std::logic_error);
}

}  // namespace
}  // namespace podsim::hlo::devices
