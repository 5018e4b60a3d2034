// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/custom/custom_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "hw/activity.h"
#include "hw/op_result.h"
#include "hw/timing/phase_timing.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::parts::custom {
namespace {

/// interval * rows + latency.
class GatherOfRows : public CustomUnit {
 public:
  std::string_view name() const override { return own_name; }
  std::string_view title() const override { return "gather unit"; }
  std::string_view counted_in() const override { return "rows"; }
  std::vector<CustomKey> keys() const override {
    return {{.name = "interval_cycles", .value = 4, .least = 1, .most = 100, .source = "a \"test\""},
            {.name = "latency_cycles", .value = 20, .least = 0, .most = 100}};
  }
  base::Cycles duration(std::int64_t work, const CustomValues& values) const override {
    return base::Cycles(work * values[0] + values[1]);
  }
  VmemRegisters vmem(std::int64_t work) const override { return {.read = work, .written = 2 * work}; }
  std::string own_name = "gather";
};

/// Every test runs in a process of its own.
base::Config machine_with_gather() {
  register_unit(std::make_shared<GatherOfRows>());
  base::Config config = machine_file("tpu-v3");
  config.add_builtin("gather", custom_section());
  return config;
}

TEST(CustomUnit, IsNoneUnlessAProgramRegistersOne) {
  EXPECT_EQ(custom_unit(), nullptr);
  EXPECT_EQ(custom_section(), "");
  const std::size_t counts = OpResult::counts();
  const Machine machine = read_machine(machine_file("tpu-v3"));
  EXPECT_EQ(Custom::count(machine), 0);
  for (const NamedCount& count : hw::counts({}, machine)) EXPECT_NE(count.part, "");
  static_cast<void>(machine_with_gather());
  EXPECT_EQ(OpResult::counts(), counts + 1);
}

TEST(CustomUnit, TakesTheTimeOfItsLawBesideTheOthers) {
  base::Config config = machine_with_gather();
  const Machine usual = read_machine(config);
  config.set("gather.interval_cycles=7");
  const Machine slow = read_machine(config);
  const TilePhase phase(CustomWork{100});
  EXPECT_EQ(timing::PhaseTiming(usual).duration(phase), base::Cycles(420));
  EXPECT_EQ(timing::PhaseTiming(slow).duration(phase), base::Cycles(720));
  EXPECT_EQ(timing::PhaseTiming(slow).duration(TilePhase()), base::Cycles(0));
  UnitCycles busy;
  timing::PhaseTiming(slow).add_busy(phase, busy);
  EXPECT_EQ(busy.of<Custom>(), base::Cycles(720));
}

TEST(CustomUnit, CountsItsWorkAndItsRegisters) {
  const Machine machine = read_machine(machine_with_gather());
  const Activity done = activity(machine, TilePhase(CustomWork{100}));
  EXPECT_EQ(done.vmem_read, base::Bytes(100 * 4096));
  EXPECT_EQ(done.vmem_written, base::Bytes(200 * 4096));
  const std::vector<NamedCount> counted = hw::counts(done, machine);
  const auto rows = std::ranges::find_if(counted, [](const NamedCount& count) {
    return count.part == std::string("gather") && count.counter.name == std::string("rows");
  });
  ASSERT_NE(rows, counted.end());
  EXPECT_EQ(rows->value, 100);
}

TEST(CustomUnit, HasKeysLikeAnyOther) {
  base::Config config = machine_with_gather();
  EXPECT_EQ(config.entry("gather.interval_cycles").source, "a \"test\"");
  const auto keys = machine_keys();
  EXPECT_EQ(std::ranges::count_if(keys, [](const auto& use) { return use.key.starts_with("gather."); }), 2);
  config.set("gather.interval_cycles=101");
  EXPECT_THROW(read_machine(config), base::InputError);
  EXPECT_THROW(config.set("gather.interval_cycle=4"), base::InputError);
}

TEST(CustomUnit, IsOneWithANameOfItsOwn) {
  auto taken = std::make_shared<GatherOfRows>();
  for (const char* name : {"vector", "hbm", "flops", "Gather"}) {
    taken->own_name = name;
    EXPECT_THROW(register_unit(taken), std::invalid_argument) << name;
  }
  static_cast<void>(machine_with_gather());
  EXPECT_THROW(register_unit(std::make_shared<GatherOfRows>()), std::invalid_argument);
}

}  // namespace
}  // namespace podsim::hw::parts::custom
