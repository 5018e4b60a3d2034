// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Chakra execution traces (MLCommons, et_def.proto): one graph of nodes for each rank. They have what a replay needs
/// of the schema; docs/chakra.md lists it.
namespace podsim::sw::chakra {

/// Values are those of the schema's NodeType, and `other` for every larger one, which later schemas may have.
enum class NodeType : std::uint8_t {
  invalid = 0,
  metadata = 1,
  mem_load = 2,
  mem_store = 3,
  compute = 4,
  send = 5,
  receive = 6,
  collective = 7,
  other = 8,
};
inline constexpr std::int64_t node_types = 9;

/// Values are those of the schema's CollectiveCommType.
enum class CommType : std::uint8_t {
  all_reduce = 0,
  reduce = 1,
  all_gather = 2,
  gather = 3,
  scatter = 4,
  broadcast = 5,
  all_to_all = 6,
  reduce_scatter = 7,
  reduce_scatter_block = 8,
  barrier = 9,
};
inline constexpr std::int64_t comm_types = 10;

/// "all-reduce".
std::string to_string(CommType type);

struct Node {
  std::uint64_t id = 0;
  std::string name;
  NodeType type = NodeType::invalid;
  std::int32_t schema_type = 0;              ///< of a node of type `other`: its number in the file
  std::vector<std::uint64_t> control, data;  ///< ids of the nodes that it waits for (ctrl_deps, data_deps)
  std::uint64_t start_us = 0, duration_us = 0;
  std::vector<std::string> inputs, outputs;  ///< names of values that it reads and makes (IOInfo.values)

  // Attributes. Numbers beyond 63 bits are read as -1, which check() reports.
  std::optional<std::int64_t> duration_ps;          ///< ours: the duration without rounding to microseconds
  std::optional<std::int64_t> operations;           ///< num_ops: FLOPs
  std::optional<std::int64_t> bytes;                ///< tensor_size of a compute or memory node, comm_size of another
  std::optional<std::int64_t> comm_type;            ///< of a collective; a CommType if it is below comm_types
  std::string group;                                ///< pg_name: key of ExecutionTrace::groups; empty: all ranks
  std::string element_type;                         ///< ours: "bf16"; empty: f32
  std::optional<std::int64_t> source, target, tag;  ///< comm_src, comm_dst and comm_tag of a send or a receive

  bool communicates() const {
    return type == NodeType::send || type == NodeType::receive || type == NodeType::collective;
  }
};

/// The trace of one rank: one file.
struct RankTrace {
  std::int32_t rank = 0;
  std::map<std::string, std::string> attributes;  ///< of the whole trace, such as "slice"
  std::vector<Node> nodes;
  std::map<std::string, std::int64_t> unread;  ///< attributes of nodes that nothing here uses, with their number
};

struct ExecutionTrace {
  std::vector<RankTrace> ranks;                             ///< by rank
  std::map<std::string, std::vector<std::int32_t>> groups;  ///< ranks of each process group, in order
};

}  // namespace podsim::sw::chakra
