// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/program.h"
#include "tests/wave/waveform.h"

// The programs of waveforms/ on one core, traced as the program leaves them.
namespace podsim::test {
namespace {

const std::string folder_of_waveforms = PODSIM_SOURCE_DIR "/waveforms/";

struct TracedKernel {
  nlohmann::json json;
  base::VcdContent vcd;
  std::string save_file;  ///< written next to the trace
};

TracedKernel traced_kernel(const std::string& name) {
  const Folder folder;
  const Outcome outcome =
      folder.run({"kernel", folder_of_waveforms + name + "/" + name + ".pasm", "--json", "--vcd", "k.vcd"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return {nlohmann::json::parse(outcome.out), base::read_vcd(folder.read("k.vcd")), folder.read("k.gtkw")};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class KernelWaveform : public ::testing::TestWithParam<std::string> {};

TEST_P(KernelWaveform, ComputesWhatItsProgramExpectsAndTracesEverySignalOfItsSaveFile) {
  const TracedKernel kernel = traced_kernel(GetParam());
  EXPECT_EQ(kernel.json["verified"], true);
  const std::string file = folder_of_waveforms + GetParam() + "/" + GetParam() + ".gtkw";
  const std::vector<std::string> names = signals_of_save_file(read_file(file));
  EXPECT_GE(names.size(), 10U);
  for (const std::string& name : names) EXPECT_TRUE(kernel.vcd.signals.contains(name)) << name;
}

TEST_P(KernelWaveform, HasASaveFileWithGroupsColoursMarkersAndCurves) {
  const std::string save_file = read_file(folder_of_waveforms + GetParam() + "/" + GetParam() + ".gtkw");
  EXPECT_GE(count(save_file, "@800200\n"), 2U) << "groups";
  EXPECT_GE(count(save_file, "[color] "), 3U);
  EXPECT_GE(count(save_file, "[markername] "), 3U);
  EXPECT_GE(count(save_file, "@c8020\n"), 1U) << "curves of reals";
  EXPECT_NE(save_file.find("[dumpfile] \"" + GetParam() + ".vcd\"\n"), std::string::npos);
}

TEST_P(KernelWaveform, LastsAsLongAsTheReportSays) {
  const TracedKernel kernel = traced_kernel(GetParam());
  EXPECT_NEAR(double(kernel.vcd.end) * 1e-12, kernel.json["time_s"].get<double>(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Programs, KernelWaveform, ::testing::Values("matmul", "softmax", "dma_copy"),
                         [](const auto& parameter) { return parameter.param; });

using Changes = std::vector<std::pair<std::int64_t, std::string>>;

/// The value at a time, the change at that time included.
std::string value_at(const Changes& changes, std::int64_t time) {
  std::string value;
  for (const auto& [when, what] : changes) {
    if (when <= time) value = what;
  }
  return value;
}

std::int64_t number_at(const Changes& changes, std::int64_t time) {
  return std::stol(value_at(changes, time).substr(1), nullptr, 2);
}

// A core has 256 flags, of which a double-buffered matmul uses two for each array.
TEST(GeneratedKernel, TracesEveryFlagThatItWaitsForAndNoOthers) {
  const Folder folder;
  const Outcome outcome =
      folder.run({"kernel", "matmul", "--m", "512", "--n", "512", "--k", "512", "--timing-only", "--vcd", "k.vcd"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const base::VcdContent vcd = base::read_vcd(folder.read("k.vcd"));
  std::set<std::string> traced, awaited;
  for (const auto& [name, signal] : vcd.signals) {
    if (name.starts_with("core.sync.flag")) traced.insert(name);
  }
  for (const auto& [time, state] : vcd.signals.at("core.state").changes) {
    int flag = 0;
    if (std::sscanf(state.c_str(), "swait\\040flag\\040%d", &flag) != 1) continue;
    awaited.insert("core.sync.flag" + std::to_string(flag) + "[31:0]");
  }
  EXPECT_GE(awaited.size(), 2U);
  EXPECT_TRUE(std::ranges::includes(traced, awaited));
  EXPECT_LE(traced.size(), 6U);
}

// The state of every wait for a load shows the flag, its awaited value and the DMA. The wait ends when the flag has
// that value, which is when the load ends.
TEST(LateDma, ShowsTheWaitTheFlagAndTheTransferThatReleasesIt) {
  const TracedKernel kernel = traced_kernel("dma_copy");
  const auto& states = kernel.vcd.signals.at("core.state").changes;
  int waits = 0;
  std::int64_t waiting = 0;
  for (std::size_t i = 0; i + 1 < states.size(); ++i) {
    int flag = 0, value = 0;
    if (std::sscanf(states[i].second.c_str(), "swait\\040flag\\040%d\\040>=\\040%d", &flag, &value) != 2) continue;
    const std::int64_t released = states[i + 1].first;
    waiting += released - states[i].first;
    const Changes& counts = kernel.vcd.signals.at("core.sync.flag" + std::to_string(flag) + "[31:0]").changes;
    EXPECT_EQ(number_at(counts, released), value);
    EXPECT_EQ(number_at(counts, released - 1), value - 1) << "it steps in that very moment";
    const bool load = states[i].second.ends_with("(load)");
    const auto& transfer = kernel.vcd.signals.at(load ? "core.dma.read" : "core.dma.write").changes;
    EXPECT_EQ(value_at(transfer, released - 1), load ? "sload" : "sstore");
    ++waits;
  }
  EXPECT_EQ(waits, 8 + 1);  // for every load, and for the last store
  const double cycles = double(waiting) * 1e-12 * 940e6;
  EXPECT_NEAR(cycles, kernel.json["stalls"]["sync_flag"].get<double>(), waits);
}

}  // namespace
}  // namespace podsim::test
