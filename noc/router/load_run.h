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

/// A network under synthetic traffic: mean latency and accepted load at an offered one.
///
/// Every node begins a packet in a cycle with the probability load / packet_flits and puts it into an endless queue;
/// its latency counts from there to the arrival of its tail. The network warms up until the mean latencies of two
/// windows in a row agree within 2 %; then packets are measured in batches, until the mean is known to `precision`
/// (95 % confidence, by batch means) or the longest measurement is over; then traffic goes on until every packet that
/// was measured has arrived. Where packets pile up, so that latencies only tell how long the run was, it ends early.
///
/// Dead chips neither send nor receive. Packets avoid dead links by RoutePlanner; at the end of a leg the node sends
/// the packet on at once, as far as its own queue lets it.
namespace podsim::noc {

struct LoadParameters {
  Topology topology{{8, 8}, {true, true}};
  RouterNetworkParameters network;
  Pattern pattern = Pattern::uniform;
  Ties ties = Ties::random;
  int packet_flits = 1;
  Faults faults = {};  ///< slow links and bit errors stand in `network` too
  std::uint64_t seed = 1;
  double precision = 0.003;  ///< relative half width of the confidence interval of the mean latency
  Cycle window = 1000;       ///< of warm-up and of a batch
  int most_warm_up = 50;     ///< windows
  int fewest_batches = 10;
  int most_batches = 100;
  /// Makes who looks on at the network, for as long as the run.
  std::function<std::unique_ptr<RouterObserver>(const RouterNetwork&)> observer = {};
};

struct LoadPoint {
  double load = 0;      ///< offered, flits per node and cycle
  double accepted = 0;  ///< flits that arrived per node and cycle while measuring
  /// Cycles; of measured packets, 0 where they did not all arrive.
  double mean_latency = 0, median_latency = 0, p99_latency = 0;
  double mean_hops = 0;
  double zero_load_latency = 0;  ///< cycles, by the law of RouterNetwork at the mean hops
  /// The mean latency is at least three times that of an empty network, or packets pile up.
  bool saturated = false;
  bool drained = false;      ///< every measured packet has arrived
  double confidence = 0;     ///< relative half width reached
  std::int64_t packets = 0;  ///< measured
  std::int64_t relayed = 0;  ///< times that a node sent a packet on, over all cycles
  Cycle cycles = 0;          ///< simulated, warm-up and drain included
  std::int64_t flit_hops = 0;
  std::vector<std::int64_t> link_flits;    ///< by LinkId, over all cycles
  std::vector<std::int64_t> link_retries;  ///< by LinkId, times that it repeated itself
  std::string deadlock;                    ///< the buffers that wait for one another, if the network stood still
};

/// The latency of an empty network, see RouterNetwork; `link_latency` is the same for all links.
double zero_load_latency(const RouterNetworkParameters& network, double hops, int link_latency, int packet_flits);

/// SimulationError when no living links join two chips of which one sends to the other.
LoadPoint run_load(const LoadParameters& parameters, double load);

struct LoadSweep {
  std::vector<LoadPoint> points;  ///< by load
  double saturation = 0;          ///< load at which the latency is three times that of an empty network; 0: not found
};

/// Loads from `step` on in steps until one is saturated, then between the last two until saturation is known to 0.002.
/// `progress` is told each point.
LoadSweep sweep_load(const LoadParameters& parameters, double step,
                     const std::function<void(const LoadPoint&)>& progress = {});

}  // namespace podsim::noc
