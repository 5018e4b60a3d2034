// SPDX-License-Identifier: Apache-2.0
#include "noc/router/load_run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace podsim::noc::router {
namespace {

LoadParameters torus_of_eight(int vcs, int channel_cycles) {
  LoadParameters parameters;
  parameters.network.router.vcs = vcs;
  parameters.network.links.assign(std::size_t(parameters.topology.link_ids()), {.latency = channel_cycles});
  parameters.precision = 0.005;
  parameters.max_batches = 30;
  return parameters;
}

struct Row {
  int vcs, channel_cycles;
  double load, latency, accepted;  ///< 0: not measured
};

std::vector<Row> reference() {
  std::ifstream file(PODSIM_SOURCE_DIR "/../shared/measurements/router_torus8x8.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string cell[6];
    for (std::string& text : cell) std::getline(cells, text, ',');
    const auto number = [](const std::string& text) { return text.empty() ? 0 : std::stod(text); };
    rows.push_back({std::stoi(cell[0]), std::stoi(cell[1]), number(cell[3]), number(cell[4]), number(cell[5])});
  }
  return rows;
}

// The reference's own figures: 1 % up to 80 % of saturation (0.259 and 0.515), 5 % at 0.25; accepted load beyond
// saturation 2 %.
void expect_like(const Row& row) {
  LoadParameters parameters = torus_of_eight(row.vcs, row.channel_cycles);
  if (row.load < 0.01) parameters.max_batches = 200;
  const LoadPoint point = run_load(parameters, row.load);
  if (row.latency > 0) {
    EXPECT_NEAR(point.mean_latency / row.latency, 1, row.load == 0.25 ? 0.05 : 0.01);
    EXPECT_NEAR(point.accepted / row.load, 1, 0.02);
    EXPECT_FALSE(point.saturated);
  } else {
    EXPECT_NEAR(point.accepted / row.accepted, 1, 0.02);
    EXPECT_TRUE(point.saturated);
  }
}

class PeerLatency : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(PeerLatency, ATorusOfEightByEightHasTheLatencyOfThePeer) {
  const std::vector<Row> rows = reference();
  if (rows.empty()) GTEST_SKIP() << "no ../shared/measurements/router_torus8x8.csv";
  for (const Row& row : rows) {
    if (std::pair(row.vcs, row.channel_cycles) != GetParam()) continue;
    SCOPED_TRACE("load " + std::to_string(row.load));
    expect_like(row);
  }
}

INSTANTIATE_TEST_SUITE_P(LoadRun, PeerLatency, ::testing::Values(std::pair(2, 2), std::pair(4, 2), std::pair(2, 1)),
                         [](const auto& test) {
                           return std::to_string(test.param.first) + "_vcs_channels_of_" +
                                  std::to_string(test.param.second);
                         });

TEST(LoadRun, APacketToTheNextNodeEverywhereTakesTheLawOfAnEmptyNetworkWhateverTheLoad) {
  // No two senders share a link or buffer: x+ and then y+ of one sender each.
  LoadParameters parameters = torus_of_eight(2, 2);
  parameters.pattern = Pattern::neighbor;
  const LoadPoint point = run_load(parameters, 0.05);
  EXPECT_EQ(point.mean_hops, 2);
  EXPECT_NEAR(point.mean_latency, 7 + 6 * 2, 0.2);  // a node's own packets may follow one another closely
}

TEST(LoadRun, TornadoTrafficSaturatesAtOneFlitPerThreeLinks) {
  // On a ring of 8 every packet goes 3 links x+, so that a link carries three times the traffic of a node: at most a
  // third can be accepted, with any routers.
  LoadParameters parameters = torus_of_eight(4, 1);
  parameters.topology = Topology({8}, {true});
  parameters.pattern = Pattern::tornado;
  parameters.max_batches = 10;
  const LoadPoint point = run_load(parameters, 0.5);
  EXPECT_TRUE(point.saturated);
  EXPECT_LE(point.accepted, 1.0 / 3 + 0.001);
  EXPECT_EQ(point.mean_hops, 3);
}

/// Accepted load of 8x8 nodes under uniform traffic of nine tenths of the links' capacity.
double saturated_throughput(bool wrapped, int vcs, int flits) {
  LoadParameters parameters = torus_of_eight(vcs, 2);
  parameters.topology = Topology({8, 8}, {wrapped, wrapped});
  parameters.packet_flits = flits;
  parameters.window = 500;
  parameters.max_warm_up = 5;
  parameters.max_batches = 10;
  return run_load(parameters, wrapped ? 0.9 : 0.45).accepted;
}

// W. Dally, Virtual-channel flow control, IEEE TPDS 3(2), 1992: with more virtual channels a network takes more of its
// capacity, which the links of its bisection set: 4/k flits per node and cycle on a mesh of k x k, 8/k on a torus.
TEST(LoadRun, MoreVirtualChannelsTakeMoreOfTheCapacityAndNeverMoreThanAllOfIt) {
  for (int flits : {1, 5, 16}) {
    double before = 0;
    for (int vcs : {1, 2, 4, 8}) {
      const double mesh = saturated_throughput(false, vcs, flits);
      EXPECT_GT(mesh, before) << vcs << " channels, packets of " << flits;
      EXPECT_LT(mesh, 4.0 / 8);
      before = mesh;
    }
    EXPECT_GT(before, 0.7 * 4 / 8);
    const double two = saturated_throughput(true, 2, flits), eight = saturated_throughput(true, 8, flits);
    EXPECT_LT(two, eight);
    EXPECT_LT(eight, 8.0 / 8);
  }
}

TEST(LoadRun, ADeadlockEndsTheRunWithTheBuffersThatWait) {
  LoadParameters parameters = torus_of_eight(1, 1);
  parameters.topology = Topology({8}, {true});
  parameters.pattern = Pattern::tornado;
  parameters.network.router.vc_classes = VcClasses::none;
  parameters.network.router.buffer_flits = 1;
  parameters.packet_flits = 16;
  const LoadPoint point = run_load(parameters, 1);
  EXPECT_NE(point.deadlock.find(" x+ vc0 -> "), std::string::npos);
  EXPECT_TRUE(point.saturated);
}

TEST(LoadRun, TheSameSeedGivesTheSamePointAndAnotherSeedAnother) {
  LoadParameters parameters = torus_of_eight(2, 2);
  parameters.topology = Topology({4, 4}, {true, true});
  const LoadPoint one = run_load(parameters, 0.1), again = run_load(parameters, 0.1);
  EXPECT_EQ(one.mean_latency, again.mean_latency);
  EXPECT_EQ(one.flit_hops, again.flit_hops);
  parameters.seed = 2;
  EXPECT_NE(run_load(parameters, 0.1).mean_latency, one.mean_latency);
}

}  // namespace
}  // namespace podsim::noc::router
