// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "noc/faults.h"
#include "noc/router/router_network.h"
#include "noc/router/traffic_pattern.h"

/// Runs a network under synthetic traffic and measures latency and accepted load at an offered load.
///
/// In every cycle each node creates a packet with probability load / packet_flits and puts it into an unbounded queue;
/// latency counts from there to the arrival of the tail. The network warms up until the mean latencies of two
/// consecutive windows agree within 2 %. Then packets are measured in batches until the mean is known to `precision`
/// (95 % confidence, by batch means) or the longest measurement is over. Traffic then continues until every measured
/// packet has arrived. If packets pile up, so that latencies only reflect the length of the run, the run ends early.
///
/// Dead chips neither send nor receive. Packets avoid dead links (RoutePlanner); at the end of a leg the node sends the
/// packet on at once, as far as its own queue allows.
namespace podsim::noc::router {

struct LoadParameters {
  Topology topology{{8, 8}, {true, true}};
  RouterNetworkParameters network;
  Pattern pattern = Pattern::uniform;
  TieBreak ties = TieBreak::random;
  int packet_flits = 1;
  Faults faults = {};  ///< slow links and bit errors must also be set in `network`
  std::uint64_t seed = 1;
  double precision = 0.003;  ///< relative half width of the confidence interval of the mean latency
  Cycle window = 1000;       ///< cycles of a warm-up window and of a batch
  int max_warm_up = 50;      ///< windows
  int fewest_batches = 10;
  int max_batches = 100;
  /// Makes an observer of the network, which exists as long as the run.
  std::function<std::unique_ptr<RouterObserver>(const RouterNetwork&)> observer = {};
  /// Called now and then with the load and the current cycle, and in the cycle in which a run is interrupted.
  std::function<void(double, Cycle)> progress = {};
};

struct LoadPoint {
  double load = 0;      ///< offered, flits per node and cycle
  double accepted = 0;  ///< flits that arrived per node and cycle while measuring
  /// Cycles, over measured packets; 0 if they did not all arrive.
  double mean_latency = 0, median_latency = 0, p99_latency = 0;
  double mean_hops = 0;
  double zero_load_latency = 0;  ///< cycles, by the law of RouterNetwork at the mean hops
  /// True if the mean latency is at least three times that of an empty network, or packets pile up.
  bool saturated = false;
  bool drained = false;      ///< every measured packet has arrived
  double confidence = 0;     ///< relative half width reached
  std::int64_t packets = 0;  ///< measured
  std::int64_t relayed = 0;  ///< times that a node sent a packet on, over all cycles
  Cycle cycles = 0;          ///< simulated, warm-up and drain included
  std::int64_t flit_hops = 0;
  std::vector<std::int64_t> link_flits;    ///< by LinkId, over all cycles
  std::vector<std::int64_t> link_retries;  ///< by LinkId, number of repetitions
  std::string deadlock;                    ///< the cycle of buffers that wait for one another, if the network is stuck
};

/// Latency of an empty network in cycles, see RouterNetwork. `link_latency` is the same for all links.
double zero_load_latency(const RouterNetworkParameters& network, double hops, int link_latency, int packet_flits);

/// SimulationError if a chip sends to another and no path of living links joins them. Throws base::host::Interrupted
/// when the program is interrupted.
LoadPoint run_load(const LoadParameters& parameters, double load);

struct LoadSweep {
  std::vector<LoadPoint> points;  ///< in order of load
  double saturation = 0;          ///< load at which latency is three times that of an empty network; 0: not found
};

/// Runs loads from `step` in steps of `step` until one is saturated, then between the last two until the saturation
/// load is known to 0.002. Calls `progress` with each point.
LoadSweep sweep_load(const LoadParameters& parameters, double step,
                     const std::function<void(const LoadPoint&)>& progress = {});

}  // namespace podsim::noc::router
