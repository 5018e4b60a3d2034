// SPDX-License-Identifier: Apache-2.0
#include "sw/chakra/run_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/diagnostic.h"
#include "sw/runtime/program_cursor.h"

namespace podsim::sw::chakra {
namespace {

using compiler::ProgramItem;

constexpr std::int64_t ps_per_us = 1'000'000;
constexpr std::size_t max_nodes = std::size_t{1} << 18;  ///< of a core: 29 MB

std::uint64_t microseconds(base::Time time) { return std::uint64_t((time.value() + ps_per_us / 2) / ps_per_us); }

CommType comm_type_of(collectives::CollectiveKind kind) {
  switch (kind) {
    case collectives::CollectiveKind::all_reduce:
      return CommType::all_reduce;
    case collectives::CollectiveKind::reduce_scatter:
      return CommType::reduce_scatter;
    case collectives::CollectiveKind::all_gather:
      return CommType::all_gather;
    case collectives::CollectiveKind::all_to_all:
      return CommType::all_to_all;
    default:
      return CommType::broadcast;
  }
}

}  // namespace

/// The nodes of one rank, in the order in which its core comes to them.
class RunTrace::Builder {
 public:
  Builder(RunTrace& run, std::int32_t rank)
      : run_(run),
        rank_(rank),
        node_of_(run.program_.items.size()),
        executions_(run.program_.items.size()),
        timed_(run.program_.core_sets.empty()) {}

  std::vector<Node> nodes() {
    for (runtime::ProgramCursor at(run_.program_, rank_); !at.at_end_of_step(); at.advance()) {
      visit(at.item());
      if (nodes_.size() > max_nodes) {
        throw base::InputError(
            fmt::format(
                "the trace of core {} has more than {} nodes: each trip of a loop has its own, and '{}' runs {} "
                "times so far",
                rank_, max_nodes, nodes_.back().name.substr(0, nodes_.back().name.find('#')),
                executions_[std::size_t(at.item())]),
            "fewer trips of the loop (--trips), or no --chakra");
      }
    }
    return std::move(nodes_);
  }

 private:
  void visit(int number) {
    const ProgramItem& item = run_.program_.items[std::size_t(number)];
    if (item.kind == ProgramItem::Kind::repeat) return;
    if (item.phase == hlo::AsyncPhase::done) return wait_for(number, item);
    ++executions_[std::size_t(number)];
    if (item.kind == ProgramItem::Kind::collective) return communicate(number, item);
    Node node = new_node(number, item);
    node.type = type_of(item);
    const base::Time duration = run_.duration(number);
    take_time(node, duration);
    node.bytes = item.bytes.value();
    if (item.flops > 0) node.operations = std::llround(item.flops);
    add(number, std::move(node));
    if (item.phase == hlo::AsyncPhase::none) {
      chain_ = {nodes_.back().id};
      now_ += duration;
    }
  }

  static NodeType type_of(const ProgramItem& item) {
    if (item.kind == ProgramItem::Kind::infeed) return NodeType::mem_load;
    if (item.kind == ProgramItem::Kind::outfeed) return NodeType::mem_store;
    return item.phase == hlo::AsyncPhase::start ? NodeType::mem_load : NodeType::compute;
  }

  void communicate(int number, const ProgramItem& item) {
    const std::size_t first = nodes_.size();
    const base::Time duration = item.phase == hlo::AsyncPhase::none ? run_.duration(number) : base::Time(0);
    const compiler::CollectiveOp& op = run_.program_.collectives[std::size_t(item.index)];
    if (collectives::traits(op.kind).pairwise) {
      for (const std::vector<std::int32_t>& pair : op.groups) {
        if (pair[0] == rank_) add_transfer(number, item, NodeType::send, pair, duration);
        if (pair[1] == rank_) add_transfer(number, item, NodeType::receive, pair, duration);
      }
    } else if (const std::int32_t group = run_.group_numbers_[std::size_t(item.index)][std::size_t(rank_)]; group > 0) {
      Node node = new_node(number, item);
      node.type = NodeType::collective;
      node.comm_type = std::int64_t(comm_type_of(op.kind));
      node.group = std::to_string(group);
      take_time(node, duration);
      complete(node, op);
      add(number, std::move(node));
    }
    if (nodes_.size() == first || item.phase == hlo::AsyncPhase::start) return;
    chain_.clear();
    for (std::size_t i = first; i < nodes_.size(); ++i) chain_.push_back(nodes_[i].id);
    now_ += duration;
  }

  void add_transfer(int number, const ProgramItem& item, NodeType type, const std::vector<std::int32_t>& pair,
                    base::Time duration) {
    const compiler::CollectiveOp& op = run_.program_.collectives[std::size_t(item.index)];
    Node node = new_node(number, item);
    node.type = type;
    node.name += type == NodeType::send ? ".send" : ".recv";
    node.source = pair[0];
    node.target = pair[1];
    node.tag = item.index;
    take_time(node, duration);
    complete(node, op);
    add(number, std::move(node));
  }

  static void complete(Node& node, const compiler::CollectiveOp& op) {
    node.bytes = op.bytes.value();
    node.element_type = std::string(hlo::to_string(op.element_type));
  }

  /// The end of an asynchronous item: what follows waits for it.
  void wait_for(int number, const ProgramItem& item) {
    const std::vector<std::uint64_t>& started = node_of_[std::size_t(item.started_by)];
    node_of_[std::size_t(number)] = started;
    chain_.insert(chain_.end(), started.begin(), started.end());
    if (timed_) now_ += run_.duration(number);
  }

  Node new_node(int number, const ProgramItem& item) {
    Node node;
    node.id = next_id_++;
    const std::int64_t execution = executions_[std::size_t(number)];
    node.name = execution > 1 ? fmt::format("{}#{}", item.hlo_name, execution) : item.hlo_name;
    node.control = chain_;
    for (const int source : item.sources) {
      const std::vector<std::uint64_t>& makers = node_of_[std::size_t(source)];
      node.data.insert(node.data.end(), makers.begin(), makers.end());
    }
    for (const std::uint64_t maker : node.data) node.inputs.push_back(nodes_[std::size_t(maker)].outputs.front());
    return node;
  }

  void take_time(Node& node, base::Time duration) const {
    node.duration_ps = duration.value();
    if (!timed_) {
      node.duration_us = microseconds(duration);
      return;
    }
    node.start_us = microseconds(now_);
    node.duration_us = microseconds(now_ + duration) - node.start_us;
  }

  void add(int number, Node node) {
    node.outputs = {node.name};
    std::vector<std::uint64_t>& made = node_of_[std::size_t(number)];
    if (executed_ != std::pair(number, executions_[std::size_t(number)])) made.clear();
    executed_ = {number, executions_[std::size_t(number)]};
    made.push_back(node.id);
    nodes_.push_back(std::move(node));
  }

  RunTrace& run_;
  std::int32_t rank_;
  std::vector<Node> nodes_;  ///< by id
  std::uint64_t next_id_ = 0;
  std::vector<std::uint64_t> chain_;                 ///< nodes that the next one waits for
  std::vector<std::vector<std::uint64_t>> node_of_;  ///< by item: the nodes of its last execution
  std::vector<std::int64_t> executions_;             ///< by item
  std::pair<int, std::int64_t> executed_{-1, 0};     ///< item and execution of the last node
  bool timed_;
  base::Time now_;
};

RunTrace::RunTrace(const compiler::Program& program, const runtime::RunResult& result, const TargetMachine& machine,
                   const noc::Topology& slice)
    : program_(program),
      result_(result),
      machine_(machine),
      ranks_(slice.nodes() * std::int32_t(machine.cores_per_chip)),
      group_numbers_(program.collectives.size()),
      observed_(program.items.size()),
      alone_(program.ops.size()),
      costs_(machine) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(ranks_));
  std::iota(all.begin(), all.end(), 0);
  std::map<std::vector<std::int32_t>, std::int32_t> known;
  for (std::size_t i = 0; i < program.collectives.size(); ++i) {
    const compiler::CollectiveOp& op = program.collectives[i];
    if (collectives::traits(op.kind).pairwise) continue;
    group_numbers_[i].resize(all.size());
    const auto add = [&](const std::vector<std::int32_t>& ranks) {
      const auto [group, is_new] = known.try_emplace(ranks, std::int32_t(known.size() + 1));
      if (is_new) groups_[std::to_string(group->second)] = ranks;
      for (const std::int32_t rank : ranks) group_numbers_[i][std::size_t(rank)] = group->second;
    };
    if (op.groups.empty()) add(all);
    for (const std::vector<std::int32_t>& ranks : op.groups) add(ranks);
  }
  std::map<int, std::pair<base::Time, std::int64_t>> sums;
  for (const runtime::ItemResult& item : result_.items) {
    auto& [time, times] = sums[item.item];
    time += item.total();
    times += item.times;
  }
  for (const auto& [item, sum] : sums) observed_[std::size_t(item)] = sum.first / sum.second;
}

base::Time RunTrace::duration(int number) {
  const ProgramItem& item = program_.items[std::size_t(number)];
  const bool beside = item.kind == ProgramItem::Kind::op && item.phase == hlo::AsyncPhase::start;
  if (const auto& seen = observed_[std::size_t(number)]; seen && !beside) return *seen;
  if (item.kind != ProgramItem::Kind::op) return base::Time(0);
  std::optional<base::Time>& time = alone_[std::size_t(item.index)];
  if (!time) {
    const hw::OpResult cost = costs_.simulate(program_.ops[std::size_t(item.index)].tiles);
    time = machine_.core_clock().time_of(cost.cycles);
  }
  return *time;
}

RankTrace RunTrace::of(std::int32_t rank) {
  RankTrace trace;
  trace.rank = rank;
  trace.nodes = Builder(*this, rank).nodes();
  return trace;
}

}  // namespace podsim::sw::chakra
