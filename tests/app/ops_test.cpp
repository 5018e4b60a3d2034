// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Words = std::vector<std::string>;

/// The profile of a training step as the program itself writes it, on 4 chips.
Words profiled_run() { return {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "8", "-o", "run"}; }

// A fusion's body is not in the table; the op that is rebuilt without it takes as long as the original op.
TEST(Ops, RebuiltFromTheTableOfARunTakeWhatTheyTookInTheRun) {
  const test::Folder folder;
  ASSERT_EQ(folder.run(profiled_run()).code, 0);
  const test::Outcome outcome = folder.run({"ops", "run/ops.csv", "--slice", "2x2", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["command"], "ops");
  EXPECT_GT(json["ops"], 400);
  EXPECT_LT(json["time_weighted_mae"], 0.05);
  EXPECT_EQ(json["without_text"]["ops"], 0);
}

TEST(Ops, WritesATableAndAPlot) {
  const test::Folder folder;
  ASSERT_EQ(folder.run(profiled_run()).code, 0);
  ASSERT_EQ(folder.run({"ops", "run/ops.csv", "--csv", "a.csv", "--svg", "a.svg"}).code, 0);
  std::string first;
  std::ifstream table(folder.path() / "a.csv"), plot(folder.path() / "a.svg");
  std::getline(table, first);
  EXPECT_EQ(first, "name,category,occurrences,measured_us,modelled_us,error,basis,products,not_modelled,hlo_op");
  std::getline(plot, first);
  EXPECT_TRUE(first.starts_with("<svg"));
}

TEST(Ops, ABadRowIsAnErrorAtItsPlaceAndExitCodeTwo) {
  const test::Folder folder;
  std::ofstream(folder.path() / "bad.csv") << "Category,HLO op,#Occurrences,Avg. self time (us)\ncopy,\"x, y\",z,2\n";
  const test::Outcome outcome = folder.run({"ops", "bad.csv"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("bad.csv:2:13: error: 'z' is not a number"), std::string::npos) << outcome.err;
}

// The rows that can be modelled are, on the smallest slice with the cores that exist.
TEST(Ops, ARowThatIsNotModelledIsNamedWithItsReason) {
  const test::Folder folder;
  std::ofstream(folder.path() / "p.csv")
      << "Category,HLO op,#Occurrences,Avg. self time (us)\n"
         "all-reduce,\"%a = f32[1024]{0} all-reduce(f32[1024]{0} %x), replica_groups={{0,1,2,3,4}}\",1,5\n"
         "all-reduce,\"%b = f32[1024]{0} all-reduce(f32[1024]{0} %x), replica_groups={{0,3000000}}\",1,5\n";
  const test::Outcome outcome = folder.run({"ops", "p.csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("collectives on 2x2"), std::string::npos) << outcome.out;  // 5 cores are on 3 chips
  const std::string reason = "1 row, first in line 3: the groups name a core that the slice does not have";
  EXPECT_NE(outcome.out.find(reason + ", 50.0 % of the time"), std::string::npos) << outcome.out;
  const auto json = nlohmann::json::parse(folder.run({"ops", "p.csv", "--json"}).out);
  EXPECT_EQ(json["ops"], 1);
  EXPECT_EQ(json["warnings"][0], "not modelled: " + reason);
}

// A trace of two cores: a loop of 70 us whose two trips of 30 and 34 us are a product, and twice an addition of 15 us.
TEST(Ops, ATraceIsAProfile) {
  const test::Folder folder;
  const std::string trace = std::string(PODSIM_SOURCE_DIR) + "/tests/fuzz/seeds/ops.xplane.pb";
  const test::Outcome outcome = folder.run({"ops", trace, "--csv", "ops.csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("measured on   /device:TPU:0 and 1 more"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 row, first while.1: the ops in the bodies"), std::string::npos) << outcome.out;
  const std::string rows = folder.read("ops.csv");
  for (const char* row : {"\nconvolution.3,convolution,4,32.000000,", "\nfusion.1,loop fusion,4,15.000000,",
                          "\nwhile.1,while,2,6.000000,"}) {
    EXPECT_NE(rows.find(row), std::string::npos) << rows;
  }
}

TEST(Ops, ADamagedTraceIsAnErrorAtItsPlaceAndExitCodeTwo) {
  const test::Folder folder;
  std::ifstream from(std::string(PODSIM_SOURCE_DIR) + "/tests/fuzz/seeds/ops.xplane.pb", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(from), {}};
  folder.write("cut.pb", bytes.substr(0, bytes.size() / 2));
  const test::Outcome outcome = folder.run({"ops", "cut.pb"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("'cut.pb' is damaged: the message at byte 0: "), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim
