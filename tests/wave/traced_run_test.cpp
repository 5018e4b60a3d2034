// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/program.h"
#include "tests/wave/waveform.h"

// A traced training step as the program leaves it, read with a parser that shares nothing with the writer: it refuses
// scopes out of balance, changes of undeclared signals and times that run backwards.
namespace podsim::test {
namespace {

class TracedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome = run("r.vcd");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    json_ = nlohmann::json::parse(outcome.out);
    text_ = folder_.read("r.vcd");
    vcd_ = base::read_vcd(text_);
  }

  Outcome run(const std::string& vcd) const {
    return folder_.run({"run", "resnet50", "--slice", "2x2", "--batch-per-core", "1", "--steps", "1", "--json", "--vcd",
                        vcd, "--trace", "chip(0,0).*"});
  }

  void expect_declared(const std::string& save_file, const std::string& what) const {
    const std::vector<std::string> names = signals_of_save_file(save_file);
    EXPECT_FALSE(names.empty()) << what;
    for (const std::string& name : names) EXPECT_TRUE(vcd_.signals.contains(name)) << what << ": " << name;
  }

  double step_s() const { return json_["step_time_s"]; }

  Folder folder_;
  nlohmann::json json_;
  std::string text_;
  base::VcdContent vcd_;
};

const std::string core0 = "chip(0,0).core0.", core1 = "chip(0,0).core1.";

/// When a core came to the step's one all-reduce and when it left, in picoseconds.
struct Stay {
  std::int64_t in, out;
};

Stay all_reduce_of(const base::VcdContent& vcd, const std::string& core) {
  const auto& changes = vcd.signals.at(core + "collective").changes;
  const auto in = std::ranges::find_if(changes, [](const auto& change) { return change.second != "s"; });
  return {in->first, changes.back().first};
}

/// The first chip of the tree of a pod, whose other child is the fabric.
nlohmann::json chip_of(const nlohmann::json& pod) {
  EXPECT_EQ(pod["children"].size(), 2U);
  EXPECT_EQ(pod["children"][0]["name"], "fabric");
  return pod["children"][1];
}

void add_scopes(const nlohmann::json& node, std::set<std::string>& scopes) {
  scopes.insert(node["scope"].get<std::string>());
  for (const nlohmann::json& child : node["children"]) add_scopes(child, scopes);
}

// On a whole pod, where a chip has all its links.
TEST_F(TracedRun, HasTheScopesOfTheChipsTree) {
  const std::vector<std::string> pod = {"--set", "pod.dimensions=[4, 4]", "--set", "pod.pods=1"};
  std::vector<std::string> describe = {"describe", "--tree", "--json"};
  std::vector<std::string> traced = {"run", "resnet50", "--slice", "4x4",   "--batch-per-core",
                                     "1",   "--steps",  "1",       "--vcd", "pod.vcd"};
  describe.insert(describe.end(), pod.begin(), pod.end());
  traced.insert(traced.end(), pod.begin(), pod.end());
  const nlohmann::json tree = nlohmann::json::parse(folder_.run(describe).out);
  ASSERT_EQ(folder_.run(traced).code, 0);
  std::set<std::string> expected, found;
  add_scopes(chip_of(tree["pod"]), expected);
  for (const auto& [name, signal] : base::read_vcd(folder_.read("pod.vcd")).signals) {
    if (!name.starts_with("chip(0,0).")) continue;
    for (std::size_t dot = name.rfind('.'); dot != std::string::npos; dot = dot == 0 ? dot : name.rfind('.', dot - 1)) {
      found.insert(name.substr(0, dot));
    }
  }
  EXPECT_EQ(found, expected);
  for (const char* unit : {"core0.mxu0", "core0.mxu1", "core0.vector", "core0.scalar", "core1.hbm", "switch", "host",
                           "ici.x_plus", "ici.x_minus", "ici.y_plus", "ici.y_minus"}) {
    EXPECT_TRUE(expected.contains(std::string("chip(0,0).") + unit)) << unit;
  }
}

/// Units have ports by which other modules reach them.
void expect_ports(const nlohmann::json& node) {
  const std::string unit = node["unit"];
  EXPECT_FALSE(unit.empty()) << node["scope"];
  if (unit != "link" && node["name"] != "host") {
    EXPECT_FALSE(node["ports"].empty()) << node["scope"];
  }
  for (const nlohmann::json& child : node["children"]) expect_ports(child);
}

TEST_F(TracedRun, EveryUnitOfTheTreeIsAModuleWithPorts) {
  expect_ports(chip_of(nlohmann::json::parse(folder_.run({"describe", "--tree", "--json"}).out)["pod"]));
}

void expect_ports_of_cores(const nlohmann::json& chip) {
  for (const nlohmann::json& child : chip["children"]) {
    if (child["name"].get<std::string>().starts_with("core")) {
      EXPECT_FALSE(child["ports"].empty()) << child["name"];
    }
  }
}

// A pod of 32x32 chips has four directed links from each, two along x and two along y.
TEST_F(TracedRun, TheTreeBeginsWithThePodAndItsLinks) {
  const nlohmann::json pod = nlohmann::json::parse(folder_.run({"describe", "--tree", "--json"}).out)["pod"];
  EXPECT_EQ(pod["name"], "pod");
  EXPECT_EQ(pod["unit"], "1024 chips, 32x32, of which chip(0,0) is shown");
  EXPECT_EQ(pod["children"][0]["unit"], "4096 links between chips");
  EXPECT_EQ(pod["children"][0]["ports"], (nlohmann::json{"in_0", "out_0"}));
  EXPECT_EQ(pod["children"][1]["name"], "chip(0,0)");
}

// Levels: cores with their durations only; with units, over streams; over the one switch to the banks.
TEST_F(TracedRun, TheTreeHasThePartsOfEachDetail) {
  const auto scopes_at = [&](const char* detail) {
    const Outcome outcome = folder_.run({"describe", "--tree", "--detail", detail, "--json"});
    const nlohmann::json chip = chip_of(nlohmann::json::parse(outcome.out)["pod"]);
    expect_ports_of_cores(chip);
    std::set<std::string> scopes;
    add_scopes(chip, scopes);
    return scopes;
  };
  const std::set<std::string> replay = scopes_at("replay"), tile = scopes_at("tile"), chip = scopes_at("chip");
  EXPECT_TRUE(replay.contains("chip(0,0).core1") && replay.contains("chip(0,0).switch"));
  EXPECT_FALSE(replay.contains("chip(0,0).core1.mxu0"));
  EXPECT_TRUE(tile.contains("chip(0,0).core1.mxu0") && tile.contains("chip(0,0).switch"));
  EXPECT_FALSE(tile.contains("chip(0,0).switch.in0"));
  for (const char* part : {"core1.mxu0", "core1.hbm.channel0.pseudo_channel0", "switch.in0", "switch.out0"}) {
    EXPECT_TRUE(chip.contains(std::string("chip(0,0).") + part)) << part;
  }
}

TEST_F(TracedRun, HasNothingInItsHeaderThatChangesFromRunToRun) {
  EXPECT_TRUE(text_.starts_with("$version podsim $end\n$timescale 1 ps $end\n$scope module chip(0,0) $end\n"));
  EXPECT_EQ(text_.find("$date"), std::string::npos);
}

TEST_F(TracedRun, IsTheSameToTheByteTheSecondTime) {
  ASSERT_EQ(run("again.vcd").code, 0);
  EXPECT_TRUE(text_ == folder_.read("again.vcd"));
}

// The step is that of the core that leaves the all-reduce first. The trace continues until the other has left it, and
// the next items begin on whole cycles.
TEST_F(TracedRun, LastsAsLongAsTheStepOfBothCores) {
  const std::int64_t apart = std::abs(all_reduce_of(vcd_, core0).out - all_reduce_of(vcd_, core1).out);
  EXPECT_EQ(vcd_.timescale, "1ps");
  EXPECT_NEAR(double(vcd_.end), double(json_["step_time_ps"].get<std::int64_t>() + apart), 1100);
}

TEST_F(TracedRun, ComesWithASaveFileOfEverySignalOnce) {
  const std::string save_file = folder_.read("r.gtkw");
  EXPECT_NE(save_file.find("[dumpfile] \"r.vcd\"\n"), std::string::npos);
  expect_declared(save_file, "r.gtkw");
  const std::vector<std::string> names = signals_of_save_file(save_file);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(names.size(), vcd_.signals.size());
}

TEST_F(TracedRun, IsReadFromTheOpDownToItsData) {
  const std::vector<std::string> names = signals_of_save_file(folder_.read("r.gtkw"));
  const std::vector<std::string> order{core0 + "op",           core0 + "state",      core0 + "dma.read",
                                       core0 + "hbm.read",     core0 + "mxu0.state", core0 + "mxu1.state",
                                       core0 + "vector.state", core1 + "op",         "chip(0,0).ici.x_plus.busy",
                                       "chip(0,0).host.state"};
  std::vector<std::ptrdiff_t> places;
  for (const std::string& name : order) places.push_back(std::ranges::find(names, name) - names.begin());
  EXPECT_TRUE(std::ranges::is_sorted(places));
  EXPECT_EQ(places.front(), 0);
  EXPECT_LT(places.back(), std::ptrdiff_t(names.size()));
}

TEST_F(TracedRun, DeclaresEverySignalOfTheSaveFilesInWaveforms) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PODSIM_SOURCE_DIR "/waveforms/resnet50_step")) {
    if (entry.path().extension() != ".gtkw") continue;
    expect_declared(read_file(entry.path().string()), entry.path().filename().string());
    ++files;
  }
  EXPECT_GT(files, 0);
}

// XLA's count of floating point operations leaves out padding and the filling of the array.
TEST_F(TracedRun, KeepsTheMatrixUnitsBusyForAtLeastTheirUsefulWork) {
  const double busy = double(time_high(vcd_, core0 + "mxu0.busy") + time_high(vcd_, core0 + "mxu1.busy")) * 1e-12;
  EXPECT_GE(busy / (2 * step_s()), json_["utilization"]["mxu"].get<double>());
  EXPECT_LT(busy / (2 * step_s()), 1);
}

// The waveform's transfers end on whole cycles, which makes them a little longer than their bytes.
TEST_F(TracedRun, MovesTheBytesThroughHbmThatTheRunReports) {
  const double bytes = json_["hbm_bytes_per_core_step"];
  for (const std::string& core : {core0, core1}) {
    EXPECT_NEAR(integral(vcd_, core + "hbm.bytes_per_second"), bytes, 1e-3 * bytes) << core;
  }
}

TEST_F(TracedRun, OccupiesTheBusiestLinkAsTheRunReports) {
  double busiest = 0;
  for (const char* link : {"x_plus", "y_plus"}) {
    const std::string name = "chip(0,0).ici." + std::string(link) + ".busy";
    busiest = std::max(busiest, double(time_high(vcd_, name)) * 1e-12);
  }
  EXPECT_NEAR(busiest / step_s(), json_["utilization"]["ici"].get<double>(), 1e-5);
}

TEST_F(TracedRun, ShowsTheAllReduceFromTheLastCoreInToTheLastCoreOutForAsLongAsTheRunReports) {
  const Stay first = all_reduce_of(vcd_, core0), second = all_reduce_of(vcd_, core1);
  const std::int64_t shown = std::max(first.out, second.out) - std::max(first.in, second.in);
  EXPECT_NEAR(double(shown) * 1e-12, json_["collectives"][0]["time_s"].get<double>(), 2e-12);
}

}  // namespace
}  // namespace podsim::test
