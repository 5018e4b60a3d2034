// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/point_worker.h"
#include "app/podsim.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim::app::sweep {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words small_run(const Words& more) {
  Words words = {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "4"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A worker replays the first chip too, which changes no other figure.
Json without_host(const std::string& text) {
  Json json = Json::parse(text);
  for (const char* key : {"compile_s", "wall_s", "partition_s", "op_cache", "detail", "real_chips"}) json.erase(key);
  return json;
}

/// Compares a worker with the program started separately.
void expect_as_alone(PointWorker& worker, const Words& words) {
  const test::Folder folder;
  const test::Outcome alone = folder.run(with(words, {"--json"}));
  const base::host::ProcessOutput output = worker.run({words});
  ASSERT_EQ(output.exit_code, alone.code) << output.error;
  if (alone.code != 0) {
    // Only who runs it alone is told what would fit, for which it is compiled some times more.
    const std::string advice = "note: neither shards";
    EXPECT_EQ(output.error, base::host::last_lines(alone.err.substr(0, alone.err.find(advice))));
  } else {
    EXPECT_EQ(without_host(output.out), without_host(alone.out));
  }
}

TEST(PointWorker, GivesWhatEveryPointGivesAlone) {
  PointWorker worker(run_podsim);
  for (const char* setting : {"ici.link_rate=100 Gb/s", "ici.link_rate=300 Gb/s", "ici.hop_latency=1 us",
                              "host.pcie_rate=1 GB/s", "ici.link_rate=2000 Gb/s"}) {
    expect_as_alone(worker, small_run({"--set", setting}));
  }
  // Another machine, more steps, and back again.
  expect_as_alone(worker, small_run({"--set", "mxu.count=4"}));
  for (const char* steps : {"2", "3", "4"}) expect_as_alone(worker, small_run({"--steps", steps}));
}

TEST(PointWorker, GoesOnBehindPointsThatFail) {
  PointWorker worker(run_podsim);
  for (int round = 0; round < 3; ++round) {
    expect_as_alone(worker, small_run({"--set", "ici.hop_latency=200 ns"}));
    expect_as_alone(worker, small_run({"--set", "ici.payload_fraction=1"}));  // no room for headers
  }
  for (int round = 0; round < 3; ++round) {
    expect_as_alone(worker, small_run({"--set", "hbm.reserved_per_core=0 B", "--set", "hbm.capacity_per_core=16 MB"}));
    expect_as_alone(worker, small_run({"--set", "no.such=key"}));
    expect_as_alone(worker, small_run({"--no-such-flag"}));
  }
  expect_as_alone(worker, small_run({"--set", "ici.hop_latency=200 ns"}));
}

/// The first chip is replayed in both: its units would take a little longer for collectives concurrent with the other
/// core's ops.
TEST(PointWorker, PlacesEveryPartitionedProgramByItsNetwork) {
  PointWorker worker(run_podsim);
  for (const char* latency : {"100 ns", "300 ns", "900 ns"}) {
    expect_as_alone(worker, small_run({"--weight-update-sharding", "on", "--detail", "replay", "--set",
                                       std::string("ici.hop_latency=") + latency}));
  }
}

TEST(PointWorker, RunsOtherCommands) {
  PointWorker worker(run_podsim);
  for (int round = 0; round < 2; ++round) {
    expect_as_alone(worker, {"collective", "all-reduce", "--slice", "2x2", "--bytes", "1 MB"});
  }
}

/// Points that differ in the network alone neither search for tiles nor simulate a core op after the first.
TEST(PointWorker, FindsAllOpsOfPointsThatDifferInTheNetwork) {
  const test::Folder folder;
  const std::string cache = folder.path() / "ops";
  PointWorker worker(run_podsim);
  const auto point = [&](const char* rate) {
    const base::host::ProcessOutput output =
        worker.run({small_run({"--set", std::string("ici.link_rate=") + rate, "--op-cache", cache})});
    return Json::parse(output.out);
  };
  const Json first = point("100 Gb/s");
  const int ops = first["distinct_ops"];
  EXPECT_EQ(first["op_cache"], (Json{{"hits", 0}, {"misses", 2 * ops}}));
  // The second point compiles the program again; the others share this program, which the worker keeps.
  EXPECT_EQ(point("200 Gb/s")["op_cache"], (Json{{"hits", 2 * ops}, {"misses", 0}}));
  for (const char* rate : {"400 Gb/s", "800 Gb/s"}) {
    EXPECT_EQ(point(rate)["op_cache"], (Json{{"hits", ops}, {"misses", 0}})) << rate;
  }
  PointWorker other(run_podsim);
  const base::host::ProcessOutput output = other.run({small_run({"--op-cache", cache})});
  EXPECT_EQ(Json::parse(output.out)["op_cache"]["misses"], 0);
}

TEST(PointWorker, DoesWithoutACacheThatCannotBeOpened) {
  PointWorker worker(run_podsim);
  for (int round = 0; round < 3; ++round) {
    const base::host::ProcessOutput output = worker.run({small_run({"--op-cache", "no/such/folder/ops"})});
    ASSERT_EQ(output.exit_code, 0) << output.error;
    EXPECT_FALSE(Json::parse(output.out).contains("op_cache"));
  }
}

}  // namespace
}  // namespace podsim::app::sweep
