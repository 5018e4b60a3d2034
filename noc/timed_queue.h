// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.h"

/// A binary heap of things due at a time, in a total order: time, then rank, then insertion. It stands behind one
/// SystemC event; a payload event queue would cost a sorted list.
namespace podsim::noc {

template <class T>
class TimedQueue {
 public:
  struct Entry {
    base::Time when;
    std::uint32_t rank;      ///< among entries of one time, the smaller first
    std::uint64_t sequence;  ///< among entries of one time and rank, the earlier inserted first
    T value;
  };

  void push(base::Time when, std::uint32_t rank, T value) {
    heap_.push_back({when, rank, sequence_++, std::move(value)});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const Entry& top() const { return heap_.front(); }
  Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Entry result = std::move(heap_.back());
    heap_.pop_back();
    return result;
  }

 private:
  static bool later(const Entry& a, const Entry& b) {
    if (a.when != b.when) return a.when > b.when;
    if (a.rank != b.rank) return a.rank > b.rank;
    return a.sequence > b.sequence;
  }

  std::vector<Entry> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace podsim::noc
