// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/fitted_parameters.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "sw/target_machine.h"
#include "workloads/machines/machines.h"

namespace podsim::validation::measured {
namespace {

base::Config two_values() {
  return base::Config::builtin("two.toml", R"([a]
count = { value = 9, evidence = "measured", source = "x" }
bytes = { value = "1.8 MB", evidence = "measured", source = "x" }
time = { value = "65 us", evidence = "measured", source = "x" }
share = { value = 0.73, evidence = "measured", source = "x" }
name = { value = "n", evidence = "measured", source = "x" }
assumed = { value = 1, evidence = "assumed", source = "x" }
)");
}

TEST(FittedParameters, AreTheNumbersThatWereMeasured) {
  EXPECT_EQ(measured_keys(two_values()), (std::vector<std::string>{"a.count", "a.bytes", "a.time", "a.share"}));
}

// Four steps are a factor of two, one step is 2^(1/4) = 1.1892.
TEST(FittedParameters, AStepIsAFactor) {
  const base::Config config = two_values();
  const auto value = [&](const char* key, int steps) { return value_after(config.entry(key), steps); };
  EXPECT_EQ(value("a.count", 0), "9");
  EXPECT_EQ(value("a.count", 4), "18");
  EXPECT_EQ(value("a.count", 1), "11") << "10.70";
  EXPECT_EQ(value("a.bytes", 4), "3600000 B");
  EXPECT_EQ(value("a.time", -4), "32.5 us");
  EXPECT_EQ(value("a.share", -8), "0.1825");
}

TEST(FittedParameters, AUsersValueIsNotFitted) {
  base::Config config = two_values();
  config.set("a.count=10");
  EXPECT_EQ(std::ranges::count(measured_keys(config), "a.count"), 0);
}

TEST(FittedParameters, EveryMachineReadsTheValuesOfAnyStepOrRefusesThem) {
  const std::vector<std::string> keys = measured_keys(workloads::machines::machine_config("tpu-v3"));
  ASSERT_FALSE(keys.empty());
  for (const char* machine : {"tpu-v3", "tpu-v2"}) {
    for (std::size_t key = 0; key < keys.size(); ++key) {
      for (const int by : {-max_steps, -1, 1, max_steps}) {
        Steps steps(keys.size(), 0);
        steps[key] = by;
        base::Config config = workloads::machines::machine_config(machine);
        try {
          apply(keys, steps, config);
          sw::read_target(config);
        } catch (const base::InputError&) {
          EXPECT_EQ(keys[key], "compiler.exposed_vector_fraction") << "a share has an upper bound";
        }
      }
    }
  }
}

}  // namespace
}  // namespace podsim::validation::measured
