// SPDX-License-Identifier: Apache-2.0
#include "noc/router/load_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace podsim::noc {

namespace {

constexpr double saturation_factor = 3;
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
        begin_threshold_(threshold(load / parameters.packet_flits)) {
    point_.load = load;
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

  // One cycle: new packets, all nodes and routers, arrivals. `tag` goes with the new packets.
  void cycle(std::uint64_t tag) {
    const NodeId nodes = parameters_.topology.nodes();
    for (NodeId node = 0; node < nodes; ++node) {
      if (!pattern_.happens(begin_threshold_)) continue;
      const Coordinates hops = pattern_.hops(node, pattern_.destination(node));
      network_.send(node, hops, parameters_.packet_flits, tag);
      if (tag == not_measured) continue;
      ++point_.packets;
      for (int d = 0; d < parameters_.topology.dimensions(); ++d) hops_ += std::abs(hops[d]);
    }
    network_.step();
    for (PacketId id : network_.delivered()) arrived(network_.packet(id));
  }

  void arrived(const Packet& packet) {
    const Cycle latency = network_.now() - 1 - packet.created;
    window_.latency += double(latency);
    ++window_.packets;
    if (packet.tag == not_measured) return;
    latencies_.push_back(std::int32_t(latency));
    batches_[packet.tag].latency += double(latency);
    ++batches_[packet.tag].packets;
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
    for (int i = 0; i < parameters_.most_warm_up; ++i) {
      const double mean = run_window(not_measured).mean();
      if (i > 0 && mean > 0 && std::abs(mean - before) <= 0.02 * mean) return;
      before = mean;
    }
  }

  // Packets of the last batches are still on their way when precision is judged; they count once all have arrived.
  void measure() {
    const std::int64_t received = network_.flits_received();
    const Cycle begin = network_.now();
    for (int batch = 0; batch < parameters_.most_batches && !stuck(); ++batch) {
      batches_.emplace_back();
      run_window(std::uint64_t(batch));
      if (batch + 1 >= parameters_.fewest_batches && relative_half_width() <= parameters_.precision) break;
    }
    const double node_cycles = double(network_.now() - begin) * double(parameters_.topology.nodes());
    point_.accepted = node_cycles == 0 ? 0 : double(network_.flits_received() - received) / node_cycles;
  }

  void drain() {
    const Cycle longest = parameters_.window * parameters_.most_batches;
    for (Cycle i = 0; i < longest && std::int64_t(latencies_.size()) < point_.packets && !stuck(); ++i) {
      cycle(not_measured);
    }
    point_.drained = point_.deadlock.empty() && std::int64_t(latencies_.size()) == point_.packets;
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

  // The latency that a fraction of the packets does not exceed, by nearest rank.
  double quantile(double fraction) {
    const auto rank = std::size_t(std::max(1.0, std::ceil(fraction * double(latencies_.size())))) - 1;
    std::nth_element(latencies_.begin(), latencies_.begin() + std::ptrdiff_t(rank), latencies_.end());
    return latencies_[rank];
  }

  void finish() {
    point_.mean_hops = point_.packets == 0 ? 0 : double(hops_) / double(point_.packets);
    int latency = 0;
    for (const ChannelParameters& link : parameters_.network.links) latency = std::max(latency, link.latency);
    point_.zero_load_latency =
        zero_load_latency(parameters_.network, point_.mean_hops, latency, parameters_.packet_flits);
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
    }
  }

  const LoadParameters& parameters_;
  RouterNetwork network_;
  TrafficPattern pattern_;
  std::uint64_t begin_threshold_;
  LoadPoint point_;
  Window window_;
  std::vector<Window> batches_;
  std::vector<std::int32_t> latencies_;
  std::int64_t hops_ = 0;
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

}  // namespace podsim::noc
