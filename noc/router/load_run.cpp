// SPDX-License-Identifier: Apache-2.0
#include "noc/router/load_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/diagnostic.h"
#include "base/host/interrupt.h"
#include "noc/route_plan.h"

namespace podsim::noc::router {

namespace {

constexpr double saturation_factor = 3;
constexpr double hopeless_factor = 20;  // above this, packets pile up and latency reflects the length of the run
constexpr Cycle cycles_per_report = 64;
constexpr std::uint64_t not_measured = ~std::uint64_t(0);

// Sums of one window of cycles.
struct Window {
  double latency = 0;
  std::int64_t packets = 0;
  double mean() const { return packets == 0 ? 0 : latency / double(packets); }
};

class LoadRun {
 public:
  LoadRun(const LoadParameters& parameters, double load)
      : parameters_(parameters),
        network_(parameters.topology, parameters.network),
        pattern_(parameters.topology, parameters.pattern, parameters.ties, parameters.seed),
        planner_(parameters.topology, parameters.faults),
        begin_threshold_(threshold(load / parameters.packet_flits)) {
    point_.load = load;
    if (!parameters.observer) return;
    observer_ = parameters.observer(network_);
    network_.observe(observer_.get());
  }

  LoadPoint run() {
    warm_up();
    measure();
    drain();
    finish();
    return point_;
  }

 private:
  static std::uint64_t threshold(double probability) {
    return probability >= 1 ? std::numeric_limits<std::uint64_t>::max() : std::uint64_t(std::ldexp(probability, 64));
  }

  // One cycle: new packets, all nodes and routers, arrivals. New packets get `tag`.
  void cycle(std::uint64_t tag) {
    if (network_.now() % cycles_per_report == 0) report();
    const NodeId nodes = parameters_.topology.nodes();
    for (NodeId node = 0; node < nodes; ++node) {
      if (pattern_.happens(begin_threshold_) && !parameters_.faults.dead_chip(node)) begin_packet(node, tag);
    }
    network_.step();
    for (PacketId id : network_.delivered()) arrived(id);
  }

  void report() const {
    if (parameters_.progress) parameters_.progress(point_.load, network_.now());
    base::host::end_if_interrupted(fmt::format("at load {:.4g} in cycle {}", point_.load, network_.now()));
  }

  void begin_packet(NodeId node, std::uint64_t tag) {
    const NodeId to = pattern_.destination(node);
    if (parameters_.faults.dead_chip(to)) return;
    Coordinates hops = pattern_.hops(node, to);
    RoutePlanner::Legs legs;
    if (parameters_.faults.any_dead()) {
      legs = plan(node, to, hops);
      hops = legs.front();
    }
    const PacketId id = network_.send(node, hops, parameters_.packet_flits, tag);
    if (legs.size() > 1) relays_[id] = {std::move(legs), 0};
    if (tag == not_measured) return;
    ++point_.packets;
    hops_ += hop_count(hops);
  }

  RoutePlanner::Legs plan(NodeId from, NodeId to, const Coordinates& hops) {
    if (auto legs = planner_.plan(from, hops)) return *legs;
    throw base::SimulationError(fmt::format("chip {} cannot reach chip {}: no living links join them",
                                            parameters_.topology.name(from), parameters_.topology.name(to)));
  }

  void arrived(PacketId id) {
    const Packet packet = network_.packet(id);
    if (send_on(id, packet)) return;
    const Cycle latency = network_.now() - 1 - packet.created;
    window_.latency += double(latency);
    ++window_.packets;
    if (packet.tag == not_measured) return;
    latencies_.push_back(std::int32_t(latency));
    batches_[packet.tag].latency += double(latency);
    ++batches_[packet.tag].packets;
  }

  // Sends a packet on if it has reached the end of a leg but not of its route; returns whether it did.
  bool send_on(PacketId id, const Packet& packet) {
    if (relays_.empty()) return false;
    auto relay = relays_.extract(id);
    if (relay.empty() || ++relay.mapped().leg == relay.mapped().legs.size()) return false;
    const Coordinates& hops = relay.mapped().legs[relay.mapped().leg];
    relay.key() = network_.send(packet.destination, hops, packet.flits, packet.tag, packet.created);
    relays_.insert(std::move(relay));
    ++point_.relayed;
    if (packet.tag != not_measured) hops_ += hop_count(hops);
    return true;
  }

  Window run_window(std::uint64_t tag) {
    window_ = {};
    for (Cycle i = 0; i < parameters_.window && !stuck(); ++i) cycle(tag);
    return window_;
  }

  bool stuck() {
    if (point_.deadlock.empty() && network_.stuck()) point_.deadlock = network_.waiting_cycle();
    return !point_.deadlock.empty();
  }

  void warm_up() {
    double before = 0;
    for (int i = 0; i < parameters_.max_warm_up; ++i) {
      const double mean = run_window(not_measured).mean();
      if (i > 0 && mean > 0 && std::abs(mean - before) <= 0.02 * mean) return;
      before = mean;
    }
  }

  // When precision is judged, packets of the last batches are still in flight; they count once all have arrived.
  void measure() {
    const std::int64_t received = network_.flits_received();
    const Cycle begin = network_.now();
    for (int batch = 0; batch < parameters_.max_batches && !stuck() && !piled_up_; ++batch) {
      batches_.emplace_back();
      const Window window = run_window(std::uint64_t(batch));
      piled_up_ = batch + 1 >= parameters_.fewest_batches && window.mean() > hopeless_factor * empty_latency();
      if (batch + 1 >= parameters_.fewest_batches && relative_half_width() <= parameters_.precision) break;
    }
    const double node_cycles = double(network_.now() - begin) * double(parameters_.topology.nodes());
    point_.accepted = node_cycles == 0 ? 0 : double(network_.flits_received() - received) / node_cycles;
  }

  void drain() {
    const Cycle longest = parameters_.window * parameters_.max_batches;
    for (Cycle i = 0; i < longest && std::int64_t(latencies_.size()) < point_.packets && !stuck() && !piled_up_; ++i) {
      cycle(not_measured);
    }
    point_.drained = point_.deadlock.empty() && !piled_up_ && std::int64_t(latencies_.size()) == point_.packets;
  }

  double relative_half_width() const {
    double sum = 0, squares = 0;
    std::int64_t count = 0;
    for (const Window& batch : batches_) {
      if (batch.packets == 0) continue;
      sum += batch.mean();
      squares += batch.mean() * batch.mean();
      ++count;
    }
    if (count < 2) return std::numeric_limits<double>::infinity();
    const double mean = sum / double(count);
    const double variance = std::max(0.0, (squares - sum * mean) / double(count - 1));
    return 1.96 * std::sqrt(variance / double(count)) / mean;
  }

  // The latency that `fraction` of the packets do not exceed, by nearest rank.
  double quantile(double fraction) {
    const auto rank = std::size_t(std::max(1.0, std::ceil(fraction * double(latencies_.size())))) - 1;
    std::nth_element(latencies_.begin(), latencies_.begin() + std::ptrdiff_t(rank), latencies_.end());
    return latencies_[rank];
  }

  double mean_hops() const { return point_.packets == 0 ? 0 : double(hops_) / double(point_.packets); }

  double empty_latency() const {
    int latency = 0;
    for (const ChannelParameters& link : parameters_.network.links) latency = std::max(latency, link.latency);
    return zero_load_latency(parameters_.network, mean_hops(), latency, parameters_.packet_flits);
  }

  void finish() {
    point_.mean_hops = mean_hops();
    point_.zero_load_latency = empty_latency();
    if (point_.drained && !latencies_.empty()) {
      double sum = 0;
      for (std::int32_t value : latencies_) sum += value;
      point_.mean_latency = sum / double(latencies_.size());
      point_.median_latency = quantile(0.5);
      point_.p99_latency = quantile(0.99);
      point_.confidence = relative_half_width();
    }
    point_.saturated = !point_.drained || point_.mean_latency >= saturation_factor * point_.zero_load_latency;
    point_.cycles = network_.now();
    point_.flit_hops = network_.flit_hops();
    for (LinkId link = 0; link < parameters_.topology.link_ids(); ++link) {
      point_.link_flits.push_back(network_.link_flits(link));
      point_.link_retries.push_back(network_.link_retries(link));
    }
  }

  struct Relay {
    RoutePlanner::Legs legs;
    std::size_t leg = 0;
  };

  const LoadParameters& parameters_;
  RouterNetwork network_;
  TrafficPattern pattern_;
  RoutePlanner planner_;
  std::unique_ptr<RouterObserver> observer_;
  std::unordered_map<PacketId, Relay> relays_;  // packets with several legs
  std::uint64_t begin_threshold_;
  LoadPoint point_;
  Window window_;
  std::vector<Window> batches_;
  std::vector<std::int32_t> latencies_;
  std::int64_t hops_ = 0;
  bool piled_up_ = false;
};

}  // namespace

double zero_load_latency(const RouterNetworkParameters& network, double hops, int link_latency, int packet_flits) {
  return 2 * (network.local_latency + 1) - 1 + (hops + 1) * network.router.pipeline_cycles() + hops * link_latency +
         packet_flits - 1;
}

LoadPoint run_load(const LoadParameters& parameters, double load) { return LoadRun(parameters, load).run(); }

LoadSweep sweep_load(const LoadParameters& parameters, double step,
                     const std::function<void(const LoadPoint&)>& progress) {
  LoadSweep sweep;
  const auto run = [&](double load) {
    sweep.points.push_back(run_load(parameters, load));
    if (progress) progress(sweep.points.back());
    return sweep.points.back().saturated;
  };
  double below = 0, above = 0;
  for (int i = 1; double(i) * step <= 1 && above == 0; ++i) (run(double(i) * step) ? above : below) = double(i) * step;
  while (above > 0 && above - below > 0.002) {
    const double middle = (below + above) / 2;
    (run(middle) ? above : below) = middle;
  }
  if (above > 0) sweep.saturation = (below + above) / 2;
  std::ranges::sort(sweep.points, {}, &LoadPoint::load);
  return sweep;
}

}  // namespace podsim::noc::router
