// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sw/chakra/execution_trace.h"

namespace podsim::sw::chakra::testing {

inline Node compute(std::uint64_t id, std::string name, std::vector<std::uint64_t> after, std::int64_t ps) {
  Node node;
  node.id = id;
  node.name = std::move(name);
  node.type = NodeType::compute;
  node.control = std::move(after);
  node.duration_ps = ps;
  node.outputs = {node.name};
  return node;
}

inline Node collective(std::uint64_t id, std::string name, std::vector<std::uint64_t> after, CommType type,
                       std::int64_t bytes, std::string group = "1") {
  Node node = compute(id, std::move(name), std::move(after), 0);
  node.type = NodeType::collective;
  node.duration_ps.reset();
  node.comm_type = std::int64_t(type);
  node.bytes = bytes;
  node.group = std::move(group);
  node.element_type = "bf16";
  return node;
}

inline Node transfer(std::uint64_t id, NodeType type, std::vector<std::uint64_t> after, std::int32_t source,
                     std::int32_t target, std::int64_t bytes) {
  Node node = compute(id, type == NodeType::send ? "send" : "receive", std::move(after), 0);
  node.type = type;
  node.duration_ps.reset();
  node.source = source;
  node.target = target;
  node.tag = 0;
  node.bytes = bytes;
  node.element_type = "bf16";
  return node;
}

/// Each rank: forward, an all-reduce of its result, backward, another all-reduce, update; rank 0 also sends to rank 1.
inline ExecutionTrace sample_trace(std::int32_t ranks) {
  ExecutionTrace trace;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    trace.groups["1"].push_back(rank);
    RankTrace& of_rank = trace.ranks.emplace_back();
    of_rank.rank = rank;
    of_rank.nodes = {
        compute(0, "forward", {}, 5'000'000), collective(1, "all-reduce.1", {0}, CommType::all_reduce, 4096),
        compute(2, "backward", {1}, 7'000'000), collective(3, "all-reduce.2", {2}, CommType::all_reduce, 8192),
        compute(4, "update", {3}, 2'000'000)};
    of_rank.nodes[4].inputs = {"all-reduce.2", "forward"};
    if (rank == 0) of_rank.nodes.push_back(transfer(5, NodeType::send, {4}, 0, 1, 1024));
    if (rank == 1) of_rank.nodes.push_back(transfer(5, NodeType::receive, {4}, 0, 1, 1024));
  }
  return trace;
}

}  // namespace podsim::sw::chakra::testing
