// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "hw/machine.h"
#include "sw/kernels/fifo_state.h"
#include "sw/kernels/operation.h"
#include "sw/kernels/register_set.h"

namespace podsim::sw {

/// issue(to) in iteration i + distance >= issue(from) in iteration i + latency
struct Dependence {
  int from = 0, to = 0;
  int latency = 0;
  int distance = 0;
};

/// A push and the pop of its only result, in a unit whose operations may change their order as long as pushes and pops
/// do so alike.
struct FifoPair {
  int push = 0, pop = 0;
};

/// What orders the operations of straight-line code, or of a loop's body and between its iterations. A bundle reads
/// before it writes, so a write may stand in the bundle of the last read before it:
///
///   read after write    latency of the write (isa/latency.h)
///   write after write   the same: the machine wants a write to be through before the next
///   write after read    0
///   memory              store to load: store_to_load; store to store: 1; load to store: 0; where rows may be the same
///   SMEM                store to load and to store: 1
///   misc                each after the one before; memory operations stay on their side of dma, sync and fence
///   FIFOs               fifo_dependences.h
///   branch              last
///
/// Besides operations, nodes are events inside of units, which take no slot.
class DependenceGraph {
 public:
  explicit DependenceGraph(int operations) : operations_(operations), nodes_(operations) {}

  int operations() const { return operations_; }
  int nodes() const { return nodes_; }
  int add_event() { return nodes_++; }
  void add(int from, int to, int latency, int distance = 0) { dependences_.push_back({from, to, latency, distance}); }
  /// After the last add(): the dependences of every node.
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

/// What a graph is to be made of.
struct DependenceScope {
  const hw::Machine& machine;
  const std::vector<Operation>& operations;
  const FifoState& fifos;
  /// Whether the operations are a loop's body, with dependences between its iterations.
  bool loop = false;
  /// Of loops: registers of which every iteration has its own.
  const RegisterSet* renamed = nullptr;
  /// Of loops: LoopOptions.
  const std::vector<int>* independent_buffers = nullptr;
  /// Of loops: how much further a register is in the next iteration, by Register::number(), where no operation says so.
  const std::map<int, std::int32_t>* inductions = nullptr;
};
DependenceGraph find_dependences(const DependenceScope& scope);

}  // namespace podsim::sw
