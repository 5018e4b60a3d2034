// SPDX-License-Identifier: Apache-2.0
#include "sw/operators/schedule_estimate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

namespace podsim::sw::operators {
namespace {

using hlo::InstructionId;

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::size_t max_devices = 64;

class ListSchedule {
 public:
  ListSchedule(const OperatorGraph& graph, const std::vector<int>& device)
      : graph_(graph),
        device_(device),
        path_(paths_to_end(graph, device)),
        missing_(graph.cluster.size(), 0),
        ready_at_(graph.cluster.size(), 0),
        devices_(std::size_t(graph.devices())),
        route_free_(std::size_t(graph.routes), 0) {
    schedule_.begin.assign(graph.cluster.size(), 0);
    schedule_.busy.assign(devices_.size(), 0);
  }

  /// Gives up when a path would end behind `limit`.
  OperatorSchedule run(double limit) {
    limit_ = limit;
    for (InstructionId id = 0; id < InstructionId(graph_.cluster.size()); ++id) {
      missing_[std::size_t(id)] = int(graph_.operands[std::size_t(id)].size());
    }
    for (InstructionId id = 0; id < InstructionId(graph_.cluster.size()); ++id) {
      if (graph_.cluster[std::size_t(id)] >= 0 && graph_.operands[std::size_t(id)].empty()) arrived(id);
    }
    for (;;) {
      const auto next = std::ranges::min_element(devices_, {}, [](const Device& one) { return one.next_begin(); });
      if (next->next_begin() == never) break;
      take(*next, std::size_t(next - devices_.begin()));
      if (schedule_.seconds > limit_) break;
    }
    return std::move(schedule_);
  }

 private:
  struct Device {
    double free = 0;
    double taken = 0;  ///< of the HBM by transfers, in s, since `free`
    /// Operations whose operands have arrived by `free`, longest path first.
    std::priority_queue<std::pair<double, InstructionId>> ready = {};
    /// The others, by the time of the last arrival.
    std::priority_queue<std::pair<double, InstructionId>, std::vector<std::pair<double, InstructionId>>, std::greater<>>
        later = {};

    double next_begin() const {
      if (!ready.empty()) return free;
      return later.empty() ? never : std::max(free, later.top().first);
    }
  };

  int device(InstructionId id) const { return device_[std::size_t(graph_.cluster[std::size_t(id)])]; }

  void arrived(InstructionId id) {
    const double at = ready_at_[std::size_t(id)];
    if (at + path_[std::size_t(id)] > limit_) {
      schedule_.seconds = never;
      return;
    }
    if (is_named_here(id)) {
      schedule_.begin[std::size_t(id)] = at;
      schedule_.seconds = std::max(schedule_.seconds, at);
      schedule_.order.push_back(id);
      return pass_on(id, std::size_t(device(id)), at);
    }
    devices_[std::size_t(device(id))].later.emplace(ready_at_[std::size_t(id)], id);
  }

  /// Without work, and read on its device alone.
  bool is_named_here(InstructionId id) const {
    return graph_.seconds[std::size_t(id)] == 0 &&
           std::ranges::all_of(graph_.readers[std::size_t(id)],
                               [&](InstructionId reader) { return device(reader) == device(id); });
  }

  void take(Device& at, std::size_t number) {
    const double begin = at.next_begin();
    while (!at.later.empty() && at.later.top().first <= begin) {
      const InstructionId id = at.later.top().second;
      at.ready.emplace(path_[std::size_t(id)], -id);
      at.later.pop();
    }
    const InstructionId id = -at.ready.top().second;
    at.ready.pop();
    const double taken = std::max(0.0, at.taken - (begin - at.free));
    const double left = graph_.seconds[std::size_t(id)] - graph_.hbm_seconds[std::size_t(id)];
    at.free = begin + graph_.seconds[std::size_t(id)] + std::max(0.0, taken - left);
    at.taken = 0;
    schedule_.begin[std::size_t(id)] = begin;
    schedule_.busy[number] += graph_.seconds[std::size_t(id)];
    schedule_.seconds = std::max(schedule_.seconds, at.free);
    schedule_.order.push_back(id);
    pass_on(id, number, at.free);
  }

  /// Gives the value of an operation to its readers.
  void pass_on(InstructionId id, std::size_t from, double end) {
    std::array<double, max_devices> arrival{};
    std::fill_n(arrival.begin(), devices_.size(), never);
    arrival[from] = end;
    for (const InstructionId reader : graph_.readers[std::size_t(id)]) {
      const auto to = std::size_t(device(reader));
      if (arrival[to] == never) {
        const LinkTime& link = graph_.links[from][to];
        double& free = route_free_[std::size_t(link.route)];
        free = std::max(free, end) + link.s_per_byte * double(graph_.bytes[std::size_t(id)]);
        arrival[to] = free + link.latency_s;
        const double taken = graph_.hbm_s_per_byte * double(graph_.bytes[std::size_t(id)]);
        devices_[from].taken += taken;
        devices_[to].taken += taken;
        ++schedule_.transfers;
        schedule_.transferred_bytes += graph_.bytes[std::size_t(id)];
      }
      ready_at_[std::size_t(reader)] = std::max(ready_at_[std::size_t(reader)], arrival[to]);
      if (--missing_[std::size_t(reader)] == 0) arrived(reader);
    }
  }

  const OperatorGraph& graph_;
  const std::vector<int>& device_;
  std::vector<double> path_;
  std::vector<int> missing_;      ///< operands that have no time yet, by instruction
  std::vector<double> ready_at_;  ///< last arrival so far, by instruction
  std::vector<Device> devices_;
  std::vector<double> route_free_;
  double limit_ = never;
  OperatorSchedule schedule_;
};

}  // namespace

std::vector<double> paths_to_end(const OperatorGraph& graph, const std::vector<int>& device) {
  std::vector<double> path(graph.cluster.size(), 0);
  for (std::size_t id = path.size(); id-- > 0;) {
    if (graph.cluster[id] < 0) continue;
    const auto own = std::size_t(device[std::size_t(graph.cluster[id])]);
    for (const InstructionId reader : graph.readers[id]) {
      const auto other = std::size_t(device[std::size_t(graph.cluster[std::size_t(reader)])]);
      const LinkTime& link = graph.links[own][other];
      const double transfer = own == other ? 0 : link.latency_s + link.s_per_byte * double(graph.bytes[id]);
      path[id] = std::max(path[id], transfer + path[std::size_t(reader)]);
    }
    path[id] += graph.seconds[id];
  }
  return path;
}

OperatorSchedule estimated_schedule(const OperatorGraph& graph, const std::vector<int>& device) {
  return ListSchedule(graph, device).run(never);
}

double estimated_seconds(const OperatorGraph& graph, const std::vector<int>& device, double limit) {
  return ListSchedule(graph, device).run(limit).seconds;
}

}  // namespace podsim::sw::operators
