// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/app/comes_true.h"
#include "tests/app/program.h"

/// Commands that are ended from outside: they print their results so far, marked as partial, and their position.
namespace podsim {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr const char* endless_program = R"(again:
{ s.mov s1, 3 }
{ s.branch again }
{ halt }
)";

constexpr const char* endless_module = R"(HloModule m
body {
  x = s32[] parameter(0)
  one = s32[] constant(0)
  ROOT y = s32[] add(x, one)
}
condition {
  x = s32[] parameter(0)
  ten = s32[] constant(10)
  ROOT less = pred[] compare(x, ten), direction=LT
}
ENTRY main {
  start = s32[] constant(1)
  ROOT result = s32[] while(start), condition=condition, body=body
}
)";

/// A command that still works when the signal comes, at least 100 ms after its start.
struct Long {
  std::string name;
  Words words;
  unsigned spread_ms = 500;  ///< of the time of the signal
};

std::vector<Long> long_commands() {
  return {
      {"Kernel", {"kernel", "endless.pasm"}},
      {"GeneratedKernel", {"kernel", "matmul", "--m", "8192", "--n", "2048", "--k", "2048", "--mxu", "rows"}},
      {"Network", {"network", "--slice", "64x64", "--sweep", "--window", "1000000"}},
      {"Memory", {"memory", "--pattern", "random", "--bytes", "1TiB", "--row", "32"}},
      {"ChipMemory", {"memory", "--pattern", "random", "--bytes", "64MiB", "--row", "32", "--through", "switch"}},
      {"Collective", {"collective", "broadcast", "--bytes", "1TiB", "--slice", "4x4"}},
      {"PacketCollective", {"collective", "all-to-all", "--bytes", "1GiB", "--slice", "16x16", "--network", "packet"}},
      {"CalibrateCore", {"calibrate", "core"}, 150},
      {"CalibrateMemory", {"calibrate", "memory", "--patterns", "1000000"}},
      {"HloEval", {"hlo", "eval", "endless.hlo"}},
      {"Ops", {"ops", "profile.csv"}},
      {"Run", {"run", "resnet50", "--slice", "2x2", "--detail", "tile", "--steps", "1000000"}}};
}

class LongCommand : public ::testing::TestWithParam<Long> {
 protected:
  void SetUp() override {
    folder_.write("endless.pasm", endless_program);
    folder_.write("endless.hlo", endless_module);
    folder_.write("profile.csv", profile());
  }

  /// Products of many shapes, each of which is tiled on its own.
  static std::string profile() {
    std::string text = "Category,HLO op,#Occurrences,Avg. self time (us)\n";
    for (int i = 0; i < 20000; ++i) {
      const std::string m = std::to_string(1024 + 8 * i);
      text += "convolution,\"%dot." + std::to_string(i) + " = f32[" + m + ",4096]{1,0} dot(f32[" + m +
              ",4096]{1,0} %a, f32[4096,4096]{1,0} %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\",1,10\n";
    }
    return text;
  }

  test::Folder folder_;
};

TEST_P(LongCommand, EndsInOrderWheneverItIsInterrupted) {
  std::mt19937 random(20);
  for (int i = 0; i < 10; ++i) {
    SCOPED_TRACE(i);
    Words words = GetParam().words;
    const bool json = i % 2 == 1;
    if (json) words.emplace_back("--json");
    test::Child child(folder_, words);
    ASSERT_TRUE(test::comes_true([&] { return child.catches(SIGINT) && child.catches(SIGTERM); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(100 + random() % GetParam().spread_ms));
    ASSERT_TRUE(child.running()) << child.wait().err;
    child.send(i % 4 < 2 ? SIGINT : SIGTERM);
    const test::Outcome outcome = child.wait();
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    if (json && !outcome.out.empty()) {
      EXPECT_EQ(Json::parse(outcome.out)["partial"], true) << outcome.out;
    } else {
      EXPECT_NE((outcome.out + outcome.err).find("interrupted"), std::string::npos) << outcome.out << outcome.err;
    }
  }
}

TEST_P(LongCommand, EndsWithTheTimeOfItsLimit) {
  Words words = GetParam().words;
  words.insert(words.end(), {"--limit", "200 ms"});
  const test::Outcome outcome = folder_.run(words);
  EXPECT_EQ(outcome.code, 124) << outcome.err;
}

// Chips are made, connected and destroyed for seconds. One second is allowed after the limit, one more for a busy host.
// Without the limit the run takes many minutes; the bound leaves room for a host that does other work.
TEST(Limit, HoldsForAStepOnThousandsOfChips) {
  const test::Folder folder;
  const auto begin = std::chrono::steady_clock::now();
  const test::Outcome outcome =
      folder.run({"run", "resnet50", "--slice", "128x32", "--detail", "tile", "--steps", "1000", "--limit", "1s"});
  EXPECT_EQ(outcome.code, 124) << outcome.err;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(Limit, OfValidationsKeepsTheFiguresSoFar) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"validate", "estimates", "--limit", "500ms"});
  EXPECT_EQ(outcome.code, 124) << outcome.err;
  EXPECT_NE(outcome.out.find("partial: the time limit is reached after"), std::string::npos) << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(Commands, LongCommand, ::testing::ValuesIn(long_commands()),
                         [](const auto& command) { return command.param.name; });

/// The loop takes bundles 0 and 1, which are in lines 2 and 3.
TEST(PartialResult, OfAnEndlessKernelNamesTheLoopAndKeepsListingAndWaveform) {
  const test::Folder folder;
  folder.write("endless.pasm", endless_program);
  const test::Outcome outcome =
      folder.run({"kernel", "endless.pasm", "--listing=l.txt", "--vcd", "x.vcd", "--json", "--limit", "100 ms"});
  EXPECT_EQ(outcome.code, 124) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["partial"], true);
  EXPECT_GT(json["bundles"], 2);
  const std::string where = json["interruption"];
  EXPECT_TRUE(where.find("(endless.pasm:2), cycle") != std::string::npos ||
              where.find("(endless.pasm:3), cycle") != std::string::npos)
      << where;
  EXPECT_NE(outcome.err.find(where), std::string::npos) << outcome.err;
  EXPECT_NE(folder.read("l.txt").find("s.branch"), std::string::npos);
  EXPECT_EQ(folder.names(), (Words{"endless.pasm", "l.txt", "x.gtkw", "x.vcd"}));
}

TEST(PartialResult, OfAKernelThatDoesNotHaltInItsCyclesIsAFailure) {
  const test::Folder folder;
  folder.write("endless.pasm", endless_program);
  const test::Outcome outcome = folder.run({"kernel", "endless.pasm", "--limit", "1000 cycles"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("the limit of 1000 cycles is reached"), std::string::npos) << outcome.err;
}

TEST(PartialResult, OfAnEvaluationNamesTheInstruction) {
  const test::Folder folder;
  folder.write("endless.hlo", endless_module);
  const test::Outcome outcome = folder.run({"hlo", "eval", "endless.hlo", "--limit", "100 ms"});
  EXPECT_EQ(outcome.code, 124);
  EXPECT_NE(outcome.out.find("partial: the time limit is reached in "), std::string::npos) << outcome.out;
  EXPECT_TRUE(outcome.out.find("in body/") != std::string::npos ||
              outcome.out.find("in condition/") != std::string::npos ||
              outcome.out.find("in main/result") != std::string::npos)
      << outcome.out;
}

TEST(PartialResult, LimitsThatAreNoTimeAreRefused) {
  const test::Folder folder;
  const test::Outcome cycles = folder.run({"network", "--load", "0.1", "--limit", "10 cycles"});
  EXPECT_EQ(cycles.code, 2);
  EXPECT_NE(cycles.err.find("is not a time from 1 ms to 1e8 s"), std::string::npos) << cycles.err;
  EXPECT_EQ(folder.run({"kernel", "softmax", "--limit", "0 cycles"}).code, 2);
  EXPECT_EQ(folder.run({"kernel", "softmax", "--limit", "3"}).code, 2);
}

}  // namespace
}  // namespace podsim
