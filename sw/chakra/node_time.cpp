// SPDX-License-Identifier: Apache-2.0
#include "sw/chakra/node_time.h"

#include <algorithm>
#include <cmath>

namespace podsim::sw::chakra {
namespace {

constexpr std::int64_t picoseconds_per_us = 1'000'000;
constexpr double ps_per_s = 1e12;

}  // namespace

bool has_duration(const Node& node) { return node.duration_ps || node.duration_us > 0; }

bool is_timed_by_work(const Node& node) {
  const bool works =
      node.type == NodeType::compute || node.type == NodeType::mem_load || node.type == NodeType::mem_store;
  return works && !has_duration(node) && (node.operations.value_or(0) > 0 || node.bytes.value_or(0) > 0);
}

base::Time time_of(const Node& node, const TargetMachine& machine) {
  if (node.duration_ps) return base::Time(*node.duration_ps);
  if (!is_timed_by_work(node)) return base::Time(std::int64_t(node.duration_us) * picoseconds_per_us);
  const auto time = [](std::int64_t work, double rate) { return work > 0 ? double(work) / rate : 0; };
  const double operations = time(node.operations.value_or(0), machine.peak_flops_per_core());
  const double transfer = time(node.bytes.value_or(0), machine.hbm.stream_rate.si());
  const double ps = std::ceil(std::max(operations, transfer) * ps_per_s);
  return ps < double(longest_time.value()) ? base::Time(std::int64_t(ps)) : longest_time;
}

}  // namespace podsim::sw::chakra
