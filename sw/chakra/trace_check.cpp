// SPDX-License-Identifier: Apache-2.0
#include "sw/chakra/trace_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sw/chakra/node_time.h"
#include "sw/chakra/rank_graph.h"

namespace podsim::sw::chakra {
namespace {

constexpr std::uint64_t longest_us = std::uint64_t(longest_time.value()) / 1'000'000;
constexpr std::int64_t max_bytes = std::int64_t(1) << 40;  ///< of a collective or transfer, as of podsim collective

/// Rounding of begin and end to microseconds.
constexpr std::uint64_t rounding_us = 1;

std::string bytes_text(const std::optional<std::int64_t>& bytes) {
  return bytes ? fmt::format("{} B", *bytes) : "no size";
}

std::string type_text(const std::optional<std::int64_t>& type) {
  return type && *type >= 0 && *type < comm_types ? to_string(CommType(*type)) : "a collective without a known type";
}

/// One collective of a group as its members have to agree on it.
struct Call {
  int node = 0;
  std::tuple<std::string, std::optional<std::int64_t>, std::optional<std::int64_t>, std::string> key(
      const RankTrace& trace) const {
    const Node& at = trace.nodes[std::size_t(node)];
    return {at.name, at.comm_type, at.bytes, at.element_type};
  }
};

class Checker {
 public:
  explicit Checker(const ExecutionTrace& trace) : trace_(trace) {}

  std::vector<Finding> run() {
    for (const auto& [name, ranks] : trace_.groups) check_group(name, ranks);
    for (const RankTrace& rank : trace_.ranks) {
      graphs_.emplace_back(rank);
      check_rank(rank, graphs_.back());
    }
    if (!ordered_) return sorted();
    compare_collectives();
    compare_transfers();
    compare_dependencies();
    return sorted();
  }

 private:
  void find(const RankTrace& rank, int node, std::string message) {
    findings_.push_back({rank.rank, rank.nodes[std::size_t(node)].name, std::move(message)});
  }
  std::vector<Finding> sorted() {
    std::ranges::stable_sort(findings_, {}, &Finding::rank);
    return std::move(findings_);
  }

  void check_group(const std::string& name, const std::vector<std::int32_t>& ranks) {
    std::set<std::int32_t> seen;
    for (const std::int32_t rank : ranks) {
      if (rank >= std::int32_t(trace_.ranks.size())) {
        findings_.push_back({-1, "", fmt::format("group {} has rank {}, which has no trace", name, rank)});
        ordered_ = false;
      } else if (!seen.insert(rank).second) {
        findings_.push_back({-1, "", fmt::format("group {} has rank {} twice", name, rank)});
        ordered_ = false;
      }
    }
  }

  void check_rank(const RankTrace& rank, const RankGraph& graph) {
    for (std::size_t i = 0; i < rank.nodes.size(); ++i) check_node(rank, graph, int(i));
    if (graph.has_circle()) {
      find(rank, graph.node_on_circle(), "waits for itself through other nodes");
      ordered_ = false;
      return;
    }
    check_values(rank, graph);
  }

  void check_node(const RankTrace& rank, const RankGraph& graph, int number) {
    const Node& node = rank.nodes[std::size_t(number)];
    if (const int first = graph.node_with(node.id); first != number) {
      find(rank, number, fmt::format("has id {}, as '{}' has", node.id, rank.nodes[std::size_t(first)].name));
      ordered_ = false;
    }
    if (node.type == NodeType::invalid) find(rank, number, "has no type that et_def.proto knows");
    if (node.type == NodeType::other && !has_duration(node)) {
      find(rank, number,
           fmt::format("has type {}, which et_def.proto did not know, and no duration", node.schema_type));
    }
    check_numbers(rank, number);
    for (const auto* ids : {&node.control, &node.data}) {
      for (const std::uint64_t id : *ids) {
        if (graph.node_with(id) < 0) {
          find(rank, number, fmt::format("waits for node {}, which the trace does not have", id));
        }
      }
    }
    for (const int earlier : graph.dependencies(number)) check_times(rank, number, earlier);
    if (node.type == NodeType::collective) check_collective(rank, number);
    if (node.type == NodeType::send || node.type == NodeType::receive) check_transfer(rank, number);
  }

  void check_numbers(const RankTrace& rank, int number) {
    const Node& node = rank.nodes[std::size_t(number)];
    for (const auto& [what, us] : {std::pair("begins at", node.start_us), std::pair("takes", node.duration_us)}) {
      if (us > longest_us)
        find(rank, number, fmt::format("{} {} us, and a time is at most {} us", what, us, longest_us));
    }
    if (node.duration_ps && (*node.duration_ps < 0 || *node.duration_ps > longest_time.value())) {
      find(rank, number, fmt::format("has a duration_ps that is negative or longer than {} ps", longest_time.value()));
    }
    if (node.operations.value_or(0) < 0) find(rank, number, "has a num_ops that is negative or beyond 2^63 - 1");
    if (node.bytes.value_or(0) < 0) {
      find(rank, number,
           fmt::format("has a {} that is negative or beyond 2^63 - 1",
                       node.communicates() ? "comm_size" : "tensor_size"));
    }
    if (node.communicates() && node.bytes.value_or(0) > max_bytes) {
      find(rank, number,
           fmt::format("has a comm_size of {} B, and the network takes at most {} B", *node.bytes, max_bytes));
    }
  }

  void check_times(const RankTrace& rank, int number, int earlier_number) {
    const Node &node = rank.nodes[std::size_t(number)], &earlier = rank.nodes[std::size_t(earlier_number)];
    if (earlier.start_us > longest_us || earlier.duration_us > longest_us) return;
    const std::uint64_t end = earlier.start_us + earlier.duration_us;
    if (node.start_us == 0 || node.start_us > longest_us || node.start_us + rounding_us >= end) return;
    find(rank, number,
         fmt::format("begins at {} us, before '{}', which it waits for, ends at {} us", node.start_us, earlier.name,
                     end));
  }

  void check_collective(const RankTrace& rank, int number) {
    const Node& node = rank.nodes[std::size_t(number)];
    if (!node.comm_type) {
      find(rank, number, "is a collective without comm_type");
    } else if (*node.comm_type < 0 || *node.comm_type >= comm_types) {
      find(rank, number, fmt::format("has comm_type {}, which et_def.proto does not know", *node.comm_type));
    }
    if (!node.bytes) find(rank, number, "is a collective without comm_size");
    if (node.group.empty() || trace_.groups.empty()) return;
    const auto group = trace_.groups.find(node.group);
    if (group == trace_.groups.end()) {
      find(rank, number, fmt::format("names group {}, which comm_group.json does not have", node.group));
    } else if (std::ranges::find(group->second, rank.rank) == group->second.end()) {
      find(rank, number, fmt::format("is a collective of group {}, which the rank is not in", node.group));
    }
  }

  void check_transfer(const RankTrace& rank, int number) {
    const Node& node = rank.nodes[std::size_t(number)];
    const auto ranks = std::int64_t(trace_.ranks.size());
    const auto exists = [&](const std::optional<std::int64_t>& end) { return end && *end >= 0 && *end < ranks; };
    const bool sends = node.type == NodeType::send;
    const std::optional<std::int64_t>& here = sends ? node.source : node.target;
    const std::optional<std::int64_t>& there = sends ? node.target : node.source;
    if (!exists(there)) {
      find(rank, number, fmt::format("{} a rank without a trace", sends ? "sends to" : "receives from"));
    }
    if (here && *here != rank.rank) {
      find(rank, number, fmt::format("says that rank {} {}", *here, sends ? "sends" : "receives"));
    }
    if (!node.bytes) find(rank, number, "is a transfer without comm_size");
  }

  /// A reader waits for the node before it, in the order of dependencies, that made the value.
  void check_values(const RankTrace& rank, const RankGraph& graph) {
    std::unordered_map<std::string, std::vector<int>> makers;
    for (std::size_t i = 0; i < rank.nodes.size(); ++i) {
      for (const std::string& value : rank.nodes[i].outputs) makers[value].push_back(int(i));
    }
    for (std::size_t i = 0; i < rank.nodes.size(); ++i) {
      for (const std::string& value : rank.nodes[i].inputs) {
        const auto made = makers.find(value);
        // A value that several nodes make has no one maker to wait for; one that no node makes is an input.
        if (made == makers.end() || made->second.size() > 1 || made->second.front() == int(i)) continue;
        if (graph.waits_for(int(i), made->second.front())) continue;
        find(rank, int(i),
             fmt::format("reads '{}' and does not wait for '{}', which makes it", value,
                         rank.nodes[std::size_t(made->second.front())].name));
      }
    }
  }

  const std::vector<std::int32_t>& members(const std::string& group) {
    if (const auto found = trace_.groups.find(group); found != trace_.groups.end()) return found->second;
    if (everybody_.empty()) {
      for (const RankTrace& rank : trace_.ranks) everybody_.push_back(rank.rank);
    }
    return everybody_;
  }

  void compare_collectives() {
    std::map<std::string, std::map<std::int32_t, std::vector<Call>>> calls;
    for (const RankTrace& rank : trace_.ranks) {
      for (const int node : graphs_[std::size_t(rank.rank)].order()) {
        if (rank.nodes[std::size_t(node)].type != NodeType::collective) continue;
        calls[rank.nodes[std::size_t(node)].group][rank.rank].push_back({node});
      }
    }
    for (auto& [group, by_rank] : calls) {
      for (const std::int32_t rank : members(group)) by_rank[rank];
      compare_members(group, by_rank);
    }
  }

  void compare_members(const std::string& group, const std::map<std::int32_t, std::vector<Call>>& by_rank) {
    using Keys = std::vector<decltype(Call{}.key(trace_.ranks.front()))>;
    std::map<Keys, std::vector<std::int32_t>> by_keys;
    for (const auto& [rank, calls] : by_rank) {
      Keys keys;
      for (const Call& call : calls) keys.push_back(call.key(trace_.ranks[std::size_t(rank)]));
      by_keys[keys].push_back(rank);
    }
    // Names may differ where programs do; then what they do is compared alone.
    const std::int32_t model =
        std::ranges::max_element(by_keys, {}, [](const auto& same) { return same.second.size(); })->second.front();
    for (const auto& [rank, calls] : by_rank) {
      if (rank != model) compare_member(group, rank, calls, model, by_rank.at(model));
    }
  }

  void compare_member(const std::string& group, std::int32_t rank, const std::vector<Call>& calls, std::int32_t model,
                      const std::vector<Call>& model_calls) {
    const RankTrace &here = trace_.ranks[std::size_t(rank)], &there = trace_.ranks[std::size_t(model)];
    const std::string of_group = group.empty() ? "all ranks" : "group " + group;
    for (std::size_t i = 0; i < std::min(calls.size(), model_calls.size()); ++i) {
      const Node &mine = here.nodes[std::size_t(calls[i].node)],
                 &theirs = there.nodes[std::size_t(model_calls[i].node)];
      const auto found = [&](std::string message) { find(here, calls[i].node, std::move(message)); };
      if (mine.name != theirs.name && has_name(there, model_calls, mine.name)) {
        return found(fmt::format("is collective {} of {} here, where rank {} has '{}': the order differs", i + 1,
                                 of_group, model, theirs.name));
      }
      if (mine.comm_type != theirs.comm_type) {
        return found(fmt::format("is {}, and its partner '{}' on rank {} is {}", type_text(mine.comm_type), theirs.name,
                                 model, type_text(theirs.comm_type)));
      }
      if (mine.bytes != theirs.bytes || mine.element_type != theirs.element_type) {
        return found(fmt::format("has {} {}, and its partner '{}' on rank {} has {} {}", bytes_text(mine.bytes),
                                 mine.element_type, theirs.name, model, bytes_text(theirs.bytes), theirs.element_type));
      }
    }
    if (calls.size() == model_calls.size()) return;
    const bool fewer = calls.size() < model_calls.size();
    const Call& extra = fewer ? model_calls[calls.size()] : calls[model_calls.size()];
    findings_.push_back(
        {rank, (fewer ? there : here).nodes[std::size_t(extra.node)].name,
         fmt::format("{} collectives of {} here, {} on rank {}", calls.size(), of_group, model_calls.size(), model)});
  }

  static bool has_name(const RankTrace& trace, const std::vector<Call>& calls, const std::string& name) {
    return std::ranges::any_of(calls,
                               [&](const Call& call) { return trace.nodes[std::size_t(call.node)].name == name; });
  }

  void compare_transfers() {
    struct End {
      std::int32_t rank = 0;
      int node = 0;
    };
    struct Ends {
      std::vector<End> sends, receives;
    };
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Ends> channels;
    for (const RankTrace& rank : trace_.ranks) {
      for (const int number : graphs_[std::size_t(rank.rank)].order()) {
        const Node& node = rank.nodes[std::size_t(number)];
        if (node.type != NodeType::send && node.type != NodeType::receive) continue;
        Ends& ends = channels[{node.source.value_or(rank.rank), node.target.value_or(rank.rank), node.tag.value_or(0)}];
        (node.type == NodeType::send ? ends.sends : ends.receives).push_back({rank.rank, number});
      }
    }
    for (const auto& [channel, ends] : channels) {
      const auto& [sends, receives] = ends;
      for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
        const End& end = i < sends.size() ? sends[i] : receives[i];
        const RankTrace& rank = trace_.ranks[std::size_t(end.rank)];
        if (i >= sends.size() || i >= receives.size()) {
          find(rank, end.node,
               fmt::format("has no {} on rank {}", i < sends.size() ? "receive" : "send",
                           i < sends.size() ? std::get<1>(channel) : std::get<0>(channel)));
          continue;
        }
        const Node& sent = rank.nodes[std::size_t(end.node)];
        const Node& received = trace_.ranks[std::size_t(receives[i].rank)].nodes[std::size_t(receives[i].node)];
        if (sent.bytes == received.bytes) continue;
        find(rank, end.node,
             fmt::format("sends {}, and '{}' on rank {} receives {}", bytes_text(sent.bytes), received.name,
                         receives[i].rank, bytes_text(received.bytes)));
      }
    }
  }

  /// A node of that name on several ranks, at most one on each.
  struct Namesakes {
    std::vector<std::pair<std::int32_t, int>> nodes;  ///< rank and node
    bool unique = true;
  };

  void compare_dependencies() {
    for (const RankTrace& rank : trace_.ranks) {
      for (std::size_t node = 0; node < rank.nodes.size(); ++node) {
        Namesakes& same = namesakes_[rank.nodes[node].name];
        same.unique = same.unique && (same.nodes.empty() || same.nodes.back().first != rank.rank);
        same.nodes.emplace_back(rank.rank, int(node));
      }
    }
    for (const auto& [name, same] : namesakes_) {
      if (same.unique && same.nodes.size() >= 3) compare_dependencies(same);
    }
  }

  void compare_dependencies(const Namesakes& readers) {
    std::map<std::string_view, std::size_t> votes;
    for (const auto& [rank, node] : readers.nodes) {
      for (const int earlier : graphs_[std::size_t(rank)].dependencies(node)) ++votes[name_of(rank, earlier)];
    }
    for (const auto& [name, count] : votes) {
      const Namesakes& earlier = namesakes_.find(name)->second;
      if (!earlier.unique || count == readers.nodes.size() || 2 * count <= readers.nodes.size()) continue;
      for (const auto& [rank, node] : readers.nodes) {
        const auto here = std::ranges::lower_bound(earlier.nodes, rank, {}, &std::pair<std::int32_t, int>::first);
        if (here == earlier.nodes.end() || here->first != rank) continue;
        if (graphs_[std::size_t(rank)].waits_for(node, here->second)) continue;
        find(trace_.ranks[std::size_t(rank)], node,
             fmt::format("does not wait for '{}', as it does on {} other ranks", name, count));
      }
    }
  }

  std::string_view name_of(std::int32_t rank, int node) const {
    return trace_.ranks[std::size_t(rank)].nodes[std::size_t(node)].name;
  }

  const ExecutionTrace& trace_;
  std::vector<RankGraph> graphs_;
  std::vector<Finding> findings_;
  std::vector<std::int32_t> everybody_;
  std::map<std::string, Namesakes, std::less<>> namesakes_;
  bool ordered_ = true;  ///< every rank has an order of its nodes, so that ranks can be compared
};

}  // namespace

std::vector<Finding> check(const ExecutionTrace& trace) { return Checker(trace).run(); }

}  // namespace podsim::sw::chakra
