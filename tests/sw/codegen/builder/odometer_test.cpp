// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/odometer.h"

#include <gtest/gtest.h>

#include "hw/bundle/bundle_run.h"
#include "sw/codegen/builder/register_size.h"
#include "tests/hw/test_machine.h"

namespace podsim::sw::codegen::builder {
namespace {

using hw::isa::Opcode;

/// The data that a program leaves in HBM for each step: a register of the first base, one of the second, one of
/// begun(1).
struct Steps {
  std::vector<std::int32_t> first, second, begun;
};

/// Runs a nest with dimensions (trips, step of the first base, step of the second base, group); `known`: whether trips
/// are literals.
struct Dimension {
  std::int32_t trips, first, second;
  int group = 0;
};
Steps steps_of(const std::vector<Dimension>& nest, bool known, registers::LoopSchedule schedule) {
  const hw::Machine machine = hw::tpu_v3();
  std::int32_t steps = 1;
  for (const Dimension& d : nest) steps *= d.trips;
  KernelBuilder builder(machine, "odometer");
  const KernelBuilder::VmemBuffer seen = builder.vmem_rows(std::int64_t(3) * register_rows * steps);
  std::vector<OdometerDimension> dimensions;
  for (const Dimension& d : nest) {
    const registers::ScalarOperand trips =
        known ? registers::ScalarOperand(d.trips)
              : registers::ScalarOperand(builder.load_smem({}, builder.smem_data({{d.trips}}, "trips")));
    dimensions.push_back({trips, {d.first, d.second}, d.group});
  }
  const registers::ScalarReg first = builder.constant(100), second = builder.constant(-5),
                             to = builder.constant(seen.row);
  const Odometer odometer(builder, dimensions, {{first}, {second, true}});
  builder.loop(odometer.trips(), {schedule, {seen.buffer}}, [&] {
    const registers::ScalarReg begun = odometer.has(1) ? odometer.begun(1) : registers::ScalarReg{};
    builder.store({to, 0, seen.buffer}, builder.splat(first));
    builder.store({to, register_rows, seen.buffer}, builder.splat(second));
    builder.store({to, 2 * register_rows, seen.buffer}, builder.splat(begun));
    builder.assign(to, hw::isa::Opcode::s_add, to, 3 * register_rows);
    odometer.advance();
  });
  const registers::ScalarReg last = builder.constant(seen.row);
  builder.store({last, 0, seen.buffer, 0}, builder.splat(second));  // its value after the last step
  hw::isa::DmaDescriptor descriptor;
  descriptor.route = hw::isa::DmaRoute::vmem_to_hbm;
  descriptor.source = std::uint32_t(seen.row) * 128;
  descriptor.words = std::uint32_t(3 * register_rows * steps) * 128;
  builder.dma(builder.descriptor(descriptor, "out"));
  builder.sync_wait(0, 1);
  hw::memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  hw::bundle::run_bundles(machine, std::move(builder).finish(), hbm);
  Steps found;
  const auto word = [&](std::int32_t row) {
    std::array<std::uint32_t, 1> words{};
    hbm.read(std::uint64_t(row) * 128, words);
    return std::int32_t(words[0]);
  };
  for (std::int32_t i = 0; i < steps; ++i) {
    found.first.push_back(word(3 * register_rows * i + 1));
    found.second.push_back(word(3 * register_rows * i + register_rows));
    found.begun.push_back(word(3 * register_rows * i + 2 * register_rows));
  }
  EXPECT_EQ(word(0), -5) << "the second base does not return";
  return found;
}

void expect_the_loops(const std::vector<Dimension>& nest, bool known, registers::LoopSchedule schedule) {
  const Steps found = steps_of(nest, known, schedule);
  std::vector<std::int32_t> index(nest.size());
  for (std::size_t step = 0; step < found.first.size(); ++step) {
    std::int32_t first = 100, second = -5;
    bool begun = false;
    for (std::size_t d = 0; d < nest.size(); ++d) {
      first += index[d] * nest[d].first;
      second += index[d] * nest[d].second;
      begun |= nest[d].group == 1 && index[d] > 0;
    }
    if (step > 0) {
      ASSERT_EQ(found.first[step], first) << "step " << step;
    }
    ASSERT_EQ(found.second[step], second) << "step " << step;
    ASSERT_EQ(found.begun[step] != 0, begun) << "step " << step;
    for (std::size_t d = nest.size(); d-- > 0;) {
      if (++index[d] < nest[d].trips) break;
      index[d] = 0;
    }
  }
}

TEST(Odometer, StepsAsNestedLoopsDo) {
  for (bool known : {true, false}) {
    for (registers::LoopSchedule schedule : {registers::LoopSchedule::plain, registers::LoopSchedule::pipelined}) {
      expect_the_loops({{3, 100, 7, 1}, {2, 10, 0}, {4, 1, -3}}, known, schedule);
      expect_the_loops({{2, 0, 5}, {5, 8, 0, 1}}, known, schedule);
      expect_the_loops({{7, 16, 2, 1}}, known, schedule);
    }
  }
}

TEST(Odometer, JoinsDimensionsThatContinueEachOther) {
  expect_the_loops({{3, 20, 40}, {5, 4, 8}}, true, registers::LoopSchedule::plain);
  expect_the_loops({{3, 20, 40, 1}, {5, 4, 8, 1}, {2, 0, 1}}, true, registers::LoopSchedule::plain);
  const hw::Machine machine = hw::tpu_v3();
  KernelBuilder builder(machine, "odometer");
  const Odometer joined(builder, {{3, {20}}, {5, {4}}}, {{builder.constant(0)}});
  EXPECT_TRUE(joined.trips().literal);
  EXPECT_EQ(joined.trips().value, 15);
}

TEST(Odometer, DropsDimensionsOfOneTrip) {
  const hw::Machine machine = hw::tpu_v3();
  KernelBuilder builder(machine, "odometer");
  const Odometer single(builder, {{1, {20}, 1}}, {{builder.constant(0)}});
  EXPECT_FALSE(single.has(1));
  EXPECT_EQ(single.trips().value, 1);
}

}  // namespace
}  // namespace podsim::sw::codegen::builder
