// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "hw/machine.h"
#include "sw/codegen/registers/operation.h"
#include "sw/codegen/registers/register_set.h"
#include "sw/codegen/schedule/fifo_state.h"

namespace podsim::sw::codegen::schedule {

/// The constraint: issue of `to` in iteration (i + distance) >= issue of `from` in iteration i, plus latency.
struct Dependence {
  int from = 0, to = 0;
  int latency = 0;
  int distance = 0;
};

/// A push and the pop of its only result, in a unit whose operations may be reordered as long as pushes and pops keep
/// the same order.
struct FifoPair {
  int push = 0, pop = 0;
};

/// Dependences between the operations of straight-line code, or of a loop body and between its iterations. A bundle
/// reads before it writes, so a write may be in the same bundle as the last earlier read:
///
///   read after write    latency of the write (hw/isa/latency.h)
///   write after write   the same, since a write must be complete before the next one
///   write after read    0
///   memory              store to load: store_to_load; store to store: 1; load to store: 0; if rows may be the same
///   SMEM                store to load and to store: 1
///   misc                each after the previous one; memory operations stay on their side of dma, sync and fence
///   FIFOs               sw/codegen/schedule/fifo_dependences.h
///   branch              last
///
/// Nodes are operations, and events inside units, which take no slot.
class DependenceGraph {
 public:
  explicit DependenceGraph(int operations) : operations_(operations), nodes_(operations) {}

  int operations() const { return operations_; }
  int nodes() const { return nodes_; }
  int add_event() { return nodes_++; }
  void add(int from, int to, int latency, int distance = 0) { dependences_.push_back({from, to, latency, distance}); }
  /// Indexes the dependences by node. Call it after the last add().
  void index();

  const std::vector<Dependence>& dependences() const { return dependences_; }
  std::span<const Dependence> from(int node) const {
    return {by_from_.data() + first_from_[node], count(first_from_, node)};
  }
  std::span<const Dependence> to(int node) const { return {by_to_.data() + first_to_[node], count(first_to_, node)}; }

  std::vector<FifoPair> pairs;

 private:
  static std::size_t count(const std::vector<int>& first, int node) {
    return std::size_t(first[std::size_t(node) + 1] - first[std::size_t(node)]);
  }

  int operations_, nodes_;
  std::vector<Dependence> dependences_, by_from_, by_to_;
  std::vector<int> first_from_, first_to_;
};

/// Input of find_dependences().
struct DependenceScope {
  const hw::Machine& machine;
  const std::vector<registers::Operation>& operations;
  const FifoState& fifos;
  /// The operations are a loop body, with dependences between its iterations.
  bool loop = false;
  /// For loops: registers that every iteration has separately.
  const registers::RegisterSet* renamed = nullptr;
  /// For loops: LoopOptions::independent_buffers.
  const std::vector<int>* independent_buffers = nullptr;
  /// For loops: steps per iteration of registers that no operation changes, by Register::number().
  const std::map<int, std::int32_t>* inductions = nullptr;
};
DependenceGraph find_dependences(const DependenceScope& scope);

}  // namespace podsim::sw::codegen::schedule
