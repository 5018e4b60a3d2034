// SPDX-License-Identifier: Apache-2.0
#include "sw/chakra/trace_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <systemc>
#include <tuple>
#include <utility>

#include "base/diagnostic.h"
#include "base/systemc/fresh_context.h"
#include "base/systemc/sliced_run.h"
#include "base/systemc/systemc_time.h"
#include "base/text/counted.h"
#include "base/timed_queue.h"
#include "hw/pod/pod.h"
#include "sw/chakra/node_time.h"
#include "sw/chakra/rank_graph.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_engine.h"
#include "sw/collectives/engine/collective_run.h"

namespace podsim::sw::chakra {
namespace {

using collectives::CollectiveKind;

std::optional<CollectiveKind> kind_of(CommType type) {
  switch (type) {
    case CommType::all_reduce:
    case CommType::barrier:
      return CollectiveKind::all_reduce;
    case CommType::all_gather:
      return CollectiveKind::all_gather;
    case CommType::reduce_scatter:
    case CommType::reduce_scatter_block:
      return CollectiveKind::reduce_scatter;
    case CommType::all_to_all:
      return CollectiveKind::all_to_all;
    case CommType::broadcast:
      return CollectiveKind::broadcast;
    default:
      return std::nullopt;
  }
}

hlo::ElementType type_of_elements(const Node& node) {
  const auto known = std::ranges::find(hlo::element_types(), node.element_type, &hlo::ElementTypeRow::name);
  const auto type = hlo::ElementType(known - hlo::element_types().begin());
  return known != hlo::element_types().end() && hlo::byte_width(type) > 0 ? type : hlo::ElementType::f32;
}

/// The pod and the ranks of a replay.
class TraceReplay : public sc_core::sc_module {
 public:
  TraceReplay(sc_core::sc_module_name name, const ExecutionTrace& trace, const TargetMachine& machine,
              const noc::Topology& slice, const noc::Faults& faults)
      : sc_module(name),
        trace_(trace),
        machine_(machine),
        cores_(int(machine.cores_per_chip)),
        slice_(slice),
        faults_(faults),
        times_(machine),
        pod_(
            "pod", slice.nodes(),
            [&](noc::NodeId chip, const hw::chip::IciBinding& ici) {
              return std::make_unique<hw::chip::Chip>(fmt::format("chip_{}", chip).c_str(), machine, int(chip),
                                                      hw::Trace{}, ici, faults_.chip_speed(chip));
            },
            slice, machine.ici, nullptr, faults),
        engine_("collectives", machine, slice, pod_.chips(), &pod_.network().look_ahead()) {
    for (const RankTrace& rank : trace.ranks) prepare(rank);
    SC_HAS_PROCESS(TraceReplay);
    SC_METHOD(work);
    sensitive << wake_;
  }

  Replay run(const std::function<void()>& pause) {
    base::systemc::run_in_slices([&] {
      if (pause) pause();
      return false;
    });
    if (too_late_) throw base::SimulationError(*too_late_);
    pod_.network().links().check();
    for (const Rank& rank : ranks_) require_end(rank);
    warn_of_times();
    const auto last = std::ranges::max_element(ranks_, {}, &Rank::end);
    result_.last_rank = last->trace->rank;
    result_.duration = last->end;
    for (const Node& node : last->trace->nodes) {
      if (node.type == NodeType::compute) result_.compute += time_on(node, last->trace->rank);
    }
    return std::move(result_);
  }

 private:
  enum Lane { compute, memory, other };
  static constexpr std::size_t lanes = 3;
  using Ready = std::priority_queue<int, std::vector<int>, std::greater<>>;
  struct Rank {
    const RankTrace* trace;
    std::vector<std::vector<int>> readers;  ///< by node
    std::vector<int> missing;               ///< by node: how many that it waits for have not ended
    std::array<Ready, lanes> ready;         ///< by lane
    std::array<bool, lanes> busy{};
    std::vector<int> exchanges;  ///< by node that communicates: index into exchanges_
    std::size_t left;            ///< nodes that have not ended
    base::Time end;
  };
  static constexpr int beginning = -1;
  /// A node has ended, or a rank begins.
  struct End {
    std::int32_t rank;
    int node;
  };
  /// What a rank does in an exchange: one node, or a send to itself and its receive.
  struct Part {
    std::vector<int> nodes;
    std::size_t ready = 0;
  };
  /// A collective of a group, or a transfer.
  struct Exchange {
    std::shared_ptr<const collectives::schedule::CollectiveSchedule> schedule;
    collectives::engine::CollectiveRun* run = nullptr;
    std::map<std::int32_t, Part> parts;  ///< by rank
  };
  using Content = std::tuple<std::vector<std::int32_t>, CollectiveKind, hlo::ElementType, std::int64_t>;

  void prepare(const RankTrace& trace) {
    const RankGraph graph(trace);
    Rank& rank = ranks_.emplace_back();
    rank.trace = &trace;
    rank.left = trace.nodes.size();
    rank.readers.resize(trace.nodes.size());
    rank.missing.resize(trace.nodes.size());
    rank.exchanges.assign(trace.nodes.size(), -1);
    for (const int node : graph.order()) {
      rank.missing[std::size_t(node)] = int(graph.dependencies(node).size());
      for (const int earlier : graph.dependencies(node)) rank.readers[std::size_t(earlier)].push_back(node);
      if (trace.nodes[std::size_t(node)].communicates()) take_part(rank, node);
    }
  }

  /// The k-th collective of a group on every member is one, and so is the k-th send and receive of a channel.
  void take_part(Rank& rank, int number) {
    const Node& node = rank.trace->nodes[std::size_t(number)];
    const bool collective = node.type == NodeType::collective;
    const std::int64_t source = collective ? 0 : node.source.value_or(rank.trace->rank);
    const std::int64_t target = collective ? 0 : node.target.value_or(rank.trace->rank);
    const auto channel = std::tuple(collective ? "group " + node.group : "", source, target, node.tag.value_or(0));
    const auto turn = std::pair(channel, turns_[{rank.trace->rank, channel}][std::size_t(node.type)]++);
    const auto [found, is_new] = numbers_.try_emplace(turn, int(exchanges_.size()));
    if (is_new) {
      exchanges_.emplace_back();
      make_schedule(exchanges_.back(), node,
                    collective ? members(node.group) : std::vector{std::int32_t(source), std::int32_t(target)});
      ++(collective ? result_.collectives : result_.transfers);
    }
    rank.exchanges[std::size_t(number)] = found->second;
    exchanges_[std::size_t(found->second)].parts[rank.trace->rank].nodes.push_back(number);
  }

  std::vector<std::int32_t> members(const std::string& group) const {
    if (const auto found = trace_.groups.find(group); found != trace_.groups.end()) return found->second;
    std::vector<std::int32_t> all;
    for (const RankTrace& rank : trace_.ranks) all.push_back(rank.rank);
    return all;
  }

  void make_schedule(Exchange& exchange, const Node& node, const std::vector<std::int32_t>& ranks) {
    CollectiveKind kind = CollectiveKind::collective_permute;
    const hlo::ElementType type = type_of_elements(node);
    const std::int64_t width = hlo::byte_width(type);
    std::int64_t elements = (node.bytes.value_or(0) + width - 1) / width;
    if (node.type == NodeType::collective) {
      const CommType comm_type = CommType(node.comm_type.value_or(0));
      const std::optional<CollectiveKind> known = kind_of(comm_type);
      if (!known) {
        throw base::InputError(
            fmt::format("'{}' is a {}, which the network does not have", node.name, to_string(comm_type)),
            "collectives are all-reduce, reduce-scatter, all-gather, all-to-all and broadcast");
      }
      kind = *known;
      if (comm_type == CommType::barrier) {
        elements = 1;
        note("barriers are replayed as all-reduces of one element");
      }
    }
    if (elements == 0) return;
    auto& schedule = schedules_[Content{ranks, kind, type, elements}];
    if (schedule == nullptr) {
      schedule = times_.choose(slice_, collectives::CollectiveGroups({ranks}), {kind, type, elements}).schedule;
    }
    exchange.schedule = schedule;
  }

  void note(const std::string& text) {
    if (std::ranges::find(result_.notes, text) == result_.notes.end()) result_.notes.push_back(text);
  }

  void work() {
    if (!started_) {
      started_ = true;
      for (Rank& rank : ranks_) {
        const base::Time late = faults_.delay(chip_of(rank.trace->rank), 0);
        if (late > base::Time(0)) {
          schedule(late, {rank.trace->rank, beginning});
        } else {
          begin_rank(rank);
        }
      }
    }
    const base::Time now = base::systemc::now();
    while (!queue_.empty() && queue_.top().when <= now) ended(queue_.pop().value);
    if (!queue_.empty()) wake_.notify(base::systemc::to_sc_time(queue_.top().when - now));
  }

  void begin_rank(Rank& rank) {
    for (std::size_t node = 0; node < rank.missing.size(); ++node) {
      if (rank.missing[node] == 0) may_begin(rank, int(node));
    }
    begin(rank);
  }

  noc::NodeId chip_of(std::int32_t rank) const { return noc::NodeId(rank / cores_); }

  base::Time time_on(const Node& node, std::int32_t rank) const {
    const base::Time healthy = time_of(node, machine_);
    const noc::ChipSpeed speed = faults_.chip_speed(chip_of(rank));
    const double fraction = lane_of(node) == memory ? speed.hbm : speed.clock;
    return fraction == 1 ? healthy : base::to_time(base::to_duration(healthy) / fraction);
  }

  void ended(const End& end) {
    Rank& rank = ranks_[std::size_t(end.rank)];
    if (end.node == beginning) return begin_rank(rank);
    const Node& node = rank.trace->nodes[std::size_t(end.node)];
    --rank.left;
    rank.end = base::systemc::now();
    if (!node.communicates()) rank.busy[lane_of(node)] = false;
    for (const int reader : rank.readers[std::size_t(end.node)]) {
      if (--rank.missing[std::size_t(reader)] == 0) may_begin(rank, reader);
    }
    begin(rank);
  }

  static Lane lane_of(const Node& node) {
    if (node.type == NodeType::other) return other;
    return node.type == NodeType::mem_load || node.type == NodeType::mem_store ? memory : compute;
  }

  /// A communicating node begins at once, the others when their lane is free.
  void may_begin(Rank& rank, int number) {
    const Node& node = rank.trace->nodes[std::size_t(number)];
    if (!node.communicates()) return rank.ready[lane_of(node)].push(number);
    Exchange& exchange = exchanges_[std::size_t(rank.exchanges[std::size_t(number)])];
    if (exchange.schedule == nullptr) return schedule(base::systemc::now(), {rank.trace->rank, number});
    Part& part = exchange.parts.at(rank.trace->rank);
    if (++part.ready < part.nodes.size()) return;
    if (exchange.run == nullptr) {
      exchange.run = &engine_.begin(exchange.schedule, [this, &exchange](noc::NodeId chip, int core) {
        const std::int32_t member = chip * cores_ + core;
        for (const int waiting : exchange.parts.at(member).nodes) schedule(base::systemc::now(), {member, waiting});
      });
    }
    exchange.run->start(noc::NodeId(rank.trace->rank / cores_), rank.trace->rank % cores_);
  }

  void begin(Rank& rank) {
    for (const Lane lane : {compute, memory, other}) {
      if (rank.busy[lane] || rank.ready[lane].empty()) continue;
      const int node = rank.ready[lane].top();
      rank.ready[lane].pop();
      rank.busy[lane] = true;
      schedule(base::systemc::now() + time_on(rank.trace->nodes[std::size_t(node)], rank.trace->rank),
               {rank.trace->rank, node});
    }
  }

  void schedule(base::Time when, const End& end) {
    if (when > longest_time) {  // an exception cannot leave a process of SystemC
      if (too_late_ || end.node == beginning) return;
      const Node& node = ranks_[std::size_t(end.rank)].trace->nodes[std::size_t(end.node)];
      too_late_ = fmt::format("the replay takes more than {}: rank {} is then in '{}'", base::to_string(longest_time),
                              end.rank, node.name);
      return;
    }
    queue_.push(when, std::uint32_t(end.rank), end);
    wake_.notify(base::systemc::to_sc_time(queue_.top().when - base::systemc::now()));
  }

  /// What the trace does not say of how long nodes take, and what is assumed of them.
  void warn_of_times() {
    warn("{} {} no duration; num_ops at {:.4g} FLOP/s or tensor_size at {} is the time, whichever is longer",
         [](const Node& node) { return is_timed_by_work(node); });
    warn("{} {} neither a duration nor num_ops or tensor_size, and no time", [](const Node& node) {
      return node.type == NodeType::compute && !has_duration(node) && !is_timed_by_work(node);
    });
    warn("{} {} a type that the schema read here does not have; it runs concurrently with the others, one at a time",
         [](const Node& node) { return node.type == NodeType::other; });
  }

  void warn(const char* text, bool (*concerns)(const Node&)) {
    std::int64_t count = 0;
    const RankTrace* first_rank = nullptr;
    const Node* first = nullptr;
    for (const RankTrace& rank : trace_.ranks) {
      for (const Node& node : rank.nodes) {
        if (!concerns(node) || ++count > 1) continue;
        first_rank = &rank;
        first = &node;
      }
    }
    if (count == 0) return;
    result_.warnings.push_back(
        fmt::format(fmt::runtime(text), base::text::counted(count, "node"), count == 1 ? "has" : "have",
                    machine_.peak_flops_per_core(), base::to_string(machine_.hbm.stream_rate)) +
        fmt::format(" ('{}' of rank {}{})", first->name, first_rank->rank, count == 1 ? "" : " is the first"));
  }

  void require_end(const Rank& rank) const {
    if (rank.left == 0) return;
    for (std::size_t number = 0; number < rank.trace->nodes.size(); ++number) {
      if (rank.exchanges[number] < 0 || rank.missing[number] > 0) continue;
      const Exchange& exchange = exchanges_[std::size_t(rank.exchanges[number])];
      for (const auto& [member, of_member] : exchange.parts) {
        if (of_member.ready == of_member.nodes.size()) continue;
        throw base::SimulationError(
            fmt::format("the replay came to a halt: rank {} waits in '{}' for rank {}, which has not reached it",
                        rank.trace->rank, rank.trace->nodes[number].name, member));
      }
    }
    throw base::SimulationError(
        fmt::format("the replay came to a halt: rank {} has {} nodes left", rank.trace->rank, rank.left));
  }

  using Channel = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;

  const ExecutionTrace& trace_;
  const TargetMachine& machine_;
  int cores_;  ///< per chip
  noc::Topology slice_;
  const noc::Faults& faults_;
  collectives::engine::CollectiveTimes times_;
  hw::pod::Pod pod_;
  collectives::engine::CollectiveEngine engine_;
  std::deque<Rank> ranks_;
  std::deque<Exchange> exchanges_;
  std::map<std::pair<Channel, int>, int> numbers_;  ///< index into exchanges_ by channel and turn
  std::map<std::pair<std::int32_t, Channel>, std::array<int, std::size_t(node_types)>> turns_;  ///< taken so far
  std::map<Content, std::shared_ptr<const collectives::schedule::CollectiveSchedule>> schedules_;
  base::TimedQueue<End> queue_;
  sc_core::sc_event wake_;
  bool started_ = false;
  std::optional<std::string> too_late_;  ///< what a node does that would end after longest_time
  Replay result_;
};

}  // namespace

Replay replay(const ExecutionTrace& trace, const TargetMachine& machine, const noc::Topology& slice,
              const std::function<void()>& pause, const noc::Faults& faults) {
  const base::systemc::FreshContext context;
  TraceReplay bench("replay", trace, machine, slice, faults);
  return bench.run(pause);
}

}  // namespace podsim::sw::chakra
