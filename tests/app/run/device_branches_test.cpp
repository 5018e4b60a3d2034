// SPDX-License-Identifier: Apache-2.0
// Values on one device: {maximal device=N} in a text that podsim run partitions.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.h"

namespace podsim::test {
namespace {

/// Chains of eight products, each on a device of its own, whose ends are added up.
std::string chains(int count) {
  std::string text = "HloModule chains, num_partitions=4\nENTRY main {\n  x = bf16[1024,1024] parameter(0)\n";
  for (int chain = 0; chain < count; ++chain) {
    std::string from = "x";
    for (int i = 0; i < 8; ++i) {
      const std::string name = "c" + std::to_string(chain) + "_" + std::to_string(i);
      text += "  " + name + " = bf16[1024,1024] dot(" + from + ", x), lhs_contracting_dims={1}, " +
              "rhs_contracting_dims={0}, sharding={maximal device=" + std::to_string(chain) + "}\n";
      from = name;
    }
  }
  std::string sum = "c0_7";
  for (int chain = 1; chain < count; ++chain) {
    text += "  s" + std::to_string(chain) + " = bf16[1024,1024] add(" + sum + ", c" + std::to_string(chain) + "_7)\n";
    sum = "s" + std::to_string(chain);
  }
  return text + "  ROOT end = bf16[1024,1024] negate(" + sum + ")\n}\n";
}

struct Times {
  double step = 0, transfers = 0;
};

Times times_of(const Folder& folder, const std::string& text) {
  folder.write("chains.hlo", text);
  const Outcome outcome = folder.run({"run", "chains.hlo", "--mesh", "x=4", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["warnings"].dump(), "[]");
  return {json["step_time_s"].get<double>(), json["breakdown_s"]["collective"].get<double>()};
}

TEST(DeviceBranches, FourOnFourDevicesTakeAsLongAsOneAndTheTransfers) {
  const Folder folder;
  const Times one = times_of(folder, chains(1)), four = times_of(folder, chains(4));
  const double branch = one.step - one.transfers;
  EXPECT_GT(four.step - four.transfers, branch);
  // The sums of four results of 2 MiB are all that is more; a chain is eight products.
  EXPECT_LT(four.step - four.transfers, 1.15 * branch);
  EXPECT_GT(four.transfers, one.transfers);
}

TEST(DeviceBranches, WhatStaysOnAllDevicesIsNamedWithItsPlace) {
  const Folder folder;
  folder.write(
      "chains.hlo",
      "HloModule m, num_partitions=4\nENTRY main {\n  x = f32[8] parameter(0), sharding={maximal device=2}\n"
      "  y = f32[8] negate(x), sharding={maximal device=9}\n"
      "  ROOT r = f32[8] negate(y), frontend_attributes={xla.sdy.sharding_rule=\"#sdy.op_sharding_rule<>\"}\n}\n");
  for (const char* command : {"run", "hlo partition"}) {
    std::vector<std::string> words{"run", "chains.hlo", "--mesh", "x=4"};
    if (std::string(command) != "run") words = {"hlo", "partition", "chains.hlo", "--mesh", "x=4"};
    const Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const std::string all = outcome.out + outcome.err;
    for (const char* warning :
         {"chains.hlo:3:14: a value on one device (maximal) counts as replicated: all devices hold equal arrays",
          "chains.hlo:4:14: a value on one device (maximal) counts as replicated: there are devices 0 to 3",
          "chains.hlo:5:51: the operation's own rule, xla.sdy.sharding_rule, is not used"}) {
      EXPECT_NE(all.find(warning), std::string::npos) << warning << "\n" << all;
    }
  }
}

}  // namespace
}  // namespace podsim::test
