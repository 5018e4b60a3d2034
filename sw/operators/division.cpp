// SPDX-License-Identifier: Apache-2.0
#include "sw/operators/division.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "sw/operators/schedule_estimate.h"

namespace podsim::sw::operators {
namespace {

using hlo::InstructionId;
using Sets = std::vector<std::vector<int>>;  // of clusters

/// Joins each set with the set of its device that it exchanges most with, heaviest exchange first. `set_of` is by
/// cluster.
Sets joined_in_pairs(const WeightedGraph& clusters, const Sets& sets, const std::vector<int>& device, double most) {
  std::vector<int> set_of(clusters.weights.size(), -1);
  std::vector<double> weight(sets.size(), 0);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (const int cluster : sets[set]) {
      set_of[std::size_t(cluster)] = int(set);
      weight[set] += clusters.weights[std::size_t(cluster)];
    }
  }
  std::vector<std::tuple<double, int, int>> exchanges;
  std::vector<double> with(sets.size(), 0);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    std::vector<int> touched;
    for (const int cluster : sets[set]) {
      for (const auto& [neighbour, seconds] : clusters.edges[std::size_t(cluster)]) {
        const int other = set_of[std::size_t(neighbour)];
        if (other <= int(set) || device[std::size_t(neighbour)] != device[std::size_t(cluster)]) continue;
        if (with[std::size_t(other)] == 0) touched.push_back(other);
        with[std::size_t(other)] += seconds;
      }
    }
    for (const int other : touched) {
      exchanges.emplace_back(-with[std::size_t(other)], int(set), other);
      with[std::size_t(other)] = 0;
    }
  }
  std::ranges::sort(exchanges);
  std::vector<bool> is_joined(sets.size(), false);
  Sets joined;
  for (const auto& [seconds, a, b] : exchanges) {
    if (is_joined[std::size_t(a)] || is_joined[std::size_t(b)]) continue;
    if (weight[std::size_t(a)] + weight[std::size_t(b)] > most) continue;
    is_joined[std::size_t(a)] = is_joined[std::size_t(b)] = true;
    joined.push_back(sets[std::size_t(a)]);
    joined.back().insert(joined.back().end(), sets[std::size_t(b)].begin(), sets[std::size_t(b)].end());
  }
  for (std::size_t set = 0; set < sets.size(); ++set) {
    if (!is_joined[set]) joined.push_back(sets[set]);
  }
  return joined;
}

class Refinement {
 public:
  Refinement(const OperatorGraph& graph, std::vector<int> device, std::int64_t estimates)
      : graph_(graph), clusters_(graph.cluster_graph()), limit_(estimates) {
    best_.device = std::move(device);
    cost_ = cost(best_.device, std::numeric_limits<double>::infinity());
  }

  RefinedDivision run() {
    for (bool moved = true; moved && best_.estimates < limit_;) {
      const auto before = cost_;
      for (const Sets& sets : levels()) {
        while (best_.estimates < limit_ && move_sets(sets)) {
        }
      }
      moved = cost_ < before;
    }
    best_.seconds = cost_.first;
    return std::move(best_);
  }

 private:
  /// Length of the schedule in s, then time of transfers.
  using Cost = std::pair<double, double>;

  Cost cost(const std::vector<int>& device, double limit) {
    ++best_.estimates;
    const double seconds = estimated_seconds(graph_, device, limit);
    if (seconds > limit) return {seconds, 0};
    return {seconds, weight_between_devices(device)};
  }

  double weight_between_devices(const std::vector<int>& device) const {
    double sum = 0;
    for (std::size_t cluster = 0; cluster < device.size(); ++cluster) {
      for (const auto& [neighbour, seconds] : clusters_.edges[cluster]) {
        if (device[cluster] != device[std::size_t(neighbour)]) sum += seconds;
      }
    }
    return sum;
  }

  /// Sets of clusters to move, the largest first.
  std::vector<Sets> levels() const {
    const double most =
        std::accumulate(clusters_.weights.begin(), clusters_.weights.end(), 0.0) / double(graph_.devices());
    std::vector<Sets> levels(1);
    for (int cluster = 0; cluster < graph_.clusters; ++cluster) levels.front().push_back({cluster});
    for (;;) {
      Sets next = joined_in_pairs(clusters_, levels.back(), best_.device, most);
      if (next.size() == levels.back().size()) break;
      levels.push_back(std::move(next));
    }
    std::ranges::reverse(levels);
    return levels;
  }

  double weight_of(const std::vector<int>& set) const {
    double sum = 0;
    for (const int cluster : set) sum += clusters_.weights[std::size_t(cluster)];
    return sum;
  }

  /// One try of every set on every other device; whether any has moved.
  bool move_sets(const Sets& sets) {
    std::vector<std::size_t> order(sets.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> weights;
    for (const auto& set : sets) weights.push_back(weight_of(set));
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    bool moved = false;
    for (const std::size_t set : order) {
      for (int device = 0; device < graph_.devices() && best_.estimates < limit_; ++device) {
        moved = move_set(sets[set], device) || moved;
      }
    }
    return moved;
  }

  bool move_set(const std::vector<int>& set, int to) {
    constexpr double least = 1e-12;  // s, below which sums differ by their rounding
    const int from = best_.device[std::size_t(set.front())];
    if (from == to) return false;
    const std::vector<int> before = best_.device;
    for (const int cluster : set) best_.device[std::size_t(cluster)] = to;
    const Cost moved = cost(best_.device, cost_.first);
    const bool is_shorter = moved.first < cost_.first - least;
    const bool transfers_less = moved.first <= cost_.first && moved.second < cost_.second - least;
    if (is_shorter || transfers_less) {
      cost_ = moved;
      return true;
    }
    best_.device = before;
    return false;
  }

  const OperatorGraph& graph_;
  WeightedGraph clusters_;
  std::int64_t limit_;
  RefinedDivision best_;
  Cost cost_;
};

/// A random number in [0, 1).
double unit(std::mt19937& random) { return double(random()) / 4294967296.0; }

class Annealer {
 public:
  Annealer(const OperatorGraph& graph, std::vector<int> device, const Annealing& annealing)
      : graph_(graph),
        clusters_(graph.cluster_graph()),
        annealing_(annealing),
        random_(annealing.seed),
        device_(std::move(device)),
        seconds_(estimated_schedule(graph, device_).seconds) {}

  RefinedDivision run() {
    RefinedDivision best{device_, seconds_, 1};
    double temperature = annealing_.first * seconds_;
    const double steps = double(std::max<std::int64_t>(1, annealing_.estimates));
    const double factor = std::pow(annealing_.last / annealing_.first, 1 / steps);
    if (graph_.clusters == 0 || graph_.devices() == 1) return best;
    while (best.estimates < annealing_.estimates) {
      temperature *= factor;
      const std::vector<int> before = device_;
      step();
      // The longest schedule that this move may have to be kept.
      const double limit = seconds_ - temperature * std::log(std::max(unit(random_), 1e-300));
      const double seconds = estimated_seconds(graph_, device_, limit);
      ++best.estimates;
      if (seconds > limit) {
        device_ = before;
        continue;
      }
      seconds_ = seconds;
      if (seconds >= best.seconds) continue;
      best.seconds = seconds;
      best.device = device_;
    }
    return best;
  }

 private:
  std::size_t any(std::size_t count) { return std::size_t(random_() % unsigned(count)); }

  /// Moves a set; in a third of all steps another one of its new device moves back.
  void step() {
    const std::vector<int> set = random_set(any(std::size_t(graph_.clusters)));
    const int from = device_[std::size_t(set.front())];
    const int to = (from + 1 + int(any(std::size_t(graph_.devices()) - 1))) % graph_.devices();
    constexpr std::size_t exchange = 3;
    if (const std::size_t other = any(std::size_t(graph_.clusters)); device_[other] == to && any(exchange) == 0) {
      move(random_set(other), from);
    }
    move(set, to);
  }

  /// A cluster and some that are connected with it on its device.
  std::vector<int> random_set(std::size_t first) {
    constexpr unsigned sizes = 7;  // 1, 2, 4, ... 64
    const std::size_t size = std::size_t(1) << any(sizes);
    std::vector<int> set{int(first)};
    std::vector<bool> is_in(std::size_t(graph_.clusters), false);
    is_in[std::size_t(set.front())] = true;
    const int device = device_[std::size_t(set.front())];
    for (std::size_t next = 0; next < set.size() && set.size() < size; ++next) {
      for (const auto& edge : clusters_.edges[std::size_t(set[next])]) {
        const int neighbour = edge.first;
        if (is_in[std::size_t(neighbour)] || device_[std::size_t(neighbour)] != device) continue;
        if (set.size() == size || unit(random_) < left_out) continue;
        is_in[std::size_t(neighbour)] = true;
        set.push_back(neighbour);
      }
    }
    return set;
  }

  void move(const std::vector<int>& set, int to) {
    for (const int cluster : set) device_[std::size_t(cluster)] = to;
  }

  static constexpr double left_out = 0.25;  ///< share of neighbours that a set does not take
  const OperatorGraph& graph_;
  WeightedGraph clusters_;
  const Annealing& annealing_;
  std::mt19937 random_;
  std::vector<int> device_;
  double seconds_;
};

}  // namespace

std::vector<int> division_by_earliest_end(const OperatorGraph& graph) {
  const std::size_t devices = std::size_t(graph.devices());
  std::vector<int> device(std::size_t(graph.clusters), 0);
  const std::vector<double> path = paths_to_end(graph, device);
  std::vector<InstructionId> order;
  for (InstructionId id = 0; id < InstructionId(graph.cluster.size()); ++id) {
    if (graph.cluster[std::size_t(id)] >= 0) order.push_back(id);
  }
  // An operand has no shorter path than its reader, and comes first if they are equal.
  std::ranges::stable_sort(
      order, [&](InstructionId a, InstructionId b) { return path[std::size_t(a)] > path[std::size_t(b)]; });
  std::ranges::fill(device, -1);
  std::vector<double> free(devices, 0), end(graph.cluster.size(), 0);
  for (const InstructionId id : order) {
    int& own = device[std::size_t(graph.cluster[std::size_t(id)])];
    double earliest = 0;
    int chosen = -1;
    for (int at = 0; at < int(devices); ++at) {
      if (own >= 0 && at != own) continue;
      double begin = free[std::size_t(at)];
      for (const InstructionId operand : graph.operands[std::size_t(id)]) {
        const int from = device[std::size_t(graph.cluster[std::size_t(operand)])];
        double arrival = end[std::size_t(operand)];
        if (from != at) {
          const LinkTime& link = graph.links[std::size_t(from)][std::size_t(at)];
          arrival += link.latency_s + link.s_per_byte * double(graph.bytes[std::size_t(operand)]);
        }
        begin = std::max(begin, arrival);
      }
      if (chosen >= 0 && begin >= earliest) continue;
      earliest = begin;
      chosen = at;
    }
    own = chosen;
    end[std::size_t(id)] = free[std::size_t(chosen)] = earliest + graph.seconds[std::size_t(id)];
  }
  return device;
}

RefinedDivision refined_division(const OperatorGraph& graph, std::vector<int> device, std::int64_t estimates) {
  return Refinement(graph, std::move(device), estimates).run();
}

RefinedDivision annealed_division(const OperatorGraph& graph, std::vector<int> device, const Annealing& annealing) {
  RefinedDivision annealed = Annealer(graph, std::move(device), annealing).run();
  RefinedDivision refined = refined_division(graph, std::move(annealed.device), annealing.estimates / 4 + 1);
  refined.estimates += annealed.estimates;
  return refined;
}

}  // namespace podsim::sw::operators
