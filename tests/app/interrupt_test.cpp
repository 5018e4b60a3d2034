// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// Far longer than any machine needs to get to the signal.
const Words long_run = {"run",      "resnet50", "--slice", "2x2",     "--batch-per-core", "2",
                        "--detail", "tile",     "--steps", "1000000", "--json",           "-o",
                        "r",        "--vcd",    "x.vcd",   "--trace", "chip(0,0).core0.*"};

/// The waveform grows during the simulation; a few kilobytes mean that the simulation has begun.
void wait_until_simulating(const test::Folder& folder) {
  for (int i = 0; i < 3000; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      std::error_code ignored;
      if (entry.path().filename().string().ends_with(".partial") && entry.file_size(ignored) > 0) return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL() << "the simulation did not begin";
}

class Interrupt : public ::testing::TestWithParam<int> {};

TEST_P(Interrupt, EndsARunInOrderAndKeepsWhatThereIs) {
  const test::Folder folder;
  test::Child child(folder, long_run);
  wait_until_simulating(folder);
  child.send(GetParam());
  const test::Outcome outcome = child.wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  const Json printed = Json::parse(outcome.out);
  EXPECT_TRUE(printed["partial"]);
  EXPECT_LT(printed["steps"], 1000000);
  EXPECT_FALSE(printed["warnings"].empty());
  EXPECT_TRUE(Json::parse(folder.read("r/stats.json"))["partial"]);
  EXPECT_TRUE(Json::parse(folder.read("r/manifest.json"))["partial"]);
  EXPECT_TRUE(Json::accept(folder.read("r/timeline.json")));
  EXPECT_EQ(folder.names(), (Words{"r", "x.gtkw", "x.vcd"}));
  EXPECT_NE(folder.read("x.vcd").find("$enddefinitions $end"), std::string::npos);
  EXPECT_EQ(folder.read("x.vcd").back(), '\n');
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, ::testing::Values(SIGINT, SIGTERM),
                         [](const auto& parameter) { return parameter.param == SIGINT ? "sigint" : "sigterm"; });

TEST(Pipe, WhoseReaderHasGoneIsNoCrash) {
  // The shell's SIGPIPE may be the default or, as under many programs that start others, ignored.
  for (const char* trap : {"", "trap '' PIPE; "}) {
    const std::string command =
        std::string(trap) + "{ " PODSIM_PROGRAM " describe; echo code $? >&2; } 2>&1 >/dev/full | cat; " PODSIM_PROGRAM
                            " describe 2>&1 | head -1";
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string said;
    std::array<char, 256> chunk{};
    while (std::fgets(chunk.data(), int(chunk.size()), pipe) != nullptr) said += chunk.data();
    pclose(pipe);
    EXPECT_NE(said.find("cannot write the result to stdout"), std::string::npos) << said;
    EXPECT_NE(said.find("code 2"), std::string::npos) << said;
    EXPECT_EQ(said.find("internal error"), std::string::npos) << said;
    EXPECT_EQ(said.find("Broken pipe"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace podsim
