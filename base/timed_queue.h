// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/units.h"

/// A queue of values due at a time, in a total order: time, then rank, then insertion. A SystemC module that owns one
/// wakes on one event; a payload event queue would cost a sorted list.
///
/// Chips that do the same at the same time queue thousands of values for one time and rank. These share a list, and a
/// heap has one entry per list, with four children each: those are in one or two lines of the host's cache. A hash
/// table finds the list of a time and rank.
namespace podsim::base {

template <class T>
class TimedQueue {
 public:
  struct Entry {
    Time when;
    std::uint32_t rank;  ///< ties in time go to the smaller rank, then to the earlier insertion
    T value;
  };

  void push(Time when, std::uint32_t rank, T value) {
    const std::uint32_t node = new_node(when, rank, std::move(value));
    ++size_;
    if (2 * (heap_.size() + 1) > table_.size()) grow();
    std::uint32_t& slot = table_[find(when, rank)];
    if (slot != none) {
      List& list = lists_[slot];
      nodes_[list.last].next = node;
      list.last = node;
      return;
    }
    slot = new_list(node);
    insert({when, rank, slot});
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const Entry& top() const { return nodes_[lists_[heap_.front().list].first].entry; }
  Entry pop() {
    List& list = lists_[heap_.front().list];
    const std::uint32_t node = list.first;
    Entry result = std::move(nodes_[node].entry);
    list.first = nodes_[node].next;
    nodes_[node].next = free_node_;
    free_node_ = node;
    --size_;
    if (list.first == none) drop_first_list();
    return result;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Node {
    Entry entry;
    std::uint32_t next;
  };
  struct List {
    std::uint32_t first, last;  ///< `first` of a free list is the next free list
  };
  struct Due {
    Time when;
    std::uint32_t rank;
    std::uint32_t list;
  };

  static bool earlier(const Due& a, const Due& b) { return a.when != b.when ? a.when < b.when : a.rank < b.rank; }
  void insert(const Due& due) {
    std::size_t at = heap_.size();
    heap_.push_back(due);
    while (at > 0 && earlier(due, heap_[(at - 1) / 4])) {
      heap_[at] = heap_[(at - 1) / 4];
      at = (at - 1) / 4;
    }
    heap_[at] = due;
  }
  void remove_first() {
    const Due last = heap_.back();
    heap_.pop_back();
    std::size_t at = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 4 * at + 1) {
      const std::size_t end = std::min(child + 4, heap_.size());
      std::size_t least = child;
      while (++child < end) {
        if (earlier(heap_[child], heap_[least])) least = child;
      }
      if (!earlier(heap_[least], last)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    if (!heap_.empty()) heap_[at] = last;
  }
  std::size_t home(Time when, std::uint32_t rank) const {
    const std::uint64_t key = (std::uint64_t(when.value()) << 20 ^ rank) * 0x9e3779b97f4a7c15ULL;
    return std::size_t(key >> 32) & (table_.size() - 1);
  }
  /// The table slot of a list, or the free slot for it.
  std::size_t find(Time when, std::uint32_t rank) const {
    std::size_t slot = home(when, rank);
    while (table_[slot] != none && !is(table_[slot], when, rank)) slot = (slot + 1) & (table_.size() - 1);
    return slot;
  }
  bool is(std::uint32_t list, Time when, std::uint32_t rank) const {
    const Entry& first = nodes_[lists_[list].first].entry;
    return first.when == when && first.rank == rank;
  }
  std::uint32_t new_node(Time when, std::uint32_t rank, T&& value) {
    if (free_node_ == none) {
      nodes_.push_back({{when, rank, std::move(value)}, none});
      return std::uint32_t(nodes_.size() - 1);
    }
    const std::uint32_t node = free_node_;
    free_node_ = nodes_[node].next;
    nodes_[node] = {{when, rank, std::move(value)}, none};
    return node;
  }
  std::uint32_t new_list(std::uint32_t node) {
    if (free_list_ == none) {
      lists_.push_back({node, node});
      return std::uint32_t(lists_.size() - 1);
    }
    const std::uint32_t list = free_list_;
    free_list_ = lists_[list].first;
    lists_[list] = {node, node};
    return list;
  }
  void drop_first_list() {
    const Due due = heap_.front();
    remove_first();
    std::size_t hole = home(due.when, due.rank);
    while (table_[hole] != due.list) hole = (hole + 1) & (table_.size() - 1);
    lists_[due.list].first = free_list_;
    free_list_ = due.list;
    close(hole);
  }
  /// Moves lists after a hole forward, so that every list is reached from its home slot without a gap.
  void close(std::size_t hole) {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t slot = (hole + 1) & mask; table_[slot] != none; slot = (slot + 1) & mask) {
      const Entry& first = nodes_[lists_[table_[slot]].first].entry;
      const std::size_t distance = (slot - home(first.when, first.rank)) & mask;
      if (distance < ((slot - hole) & mask)) continue;
      table_[hole] = table_[slot];
      hole = slot;
    }
    table_[hole] = none;
  }
  void grow() {
    table_.assign(std::max<std::size_t>(16, 2 * table_.size()), none);
    for (const Due& due : heap_) table_[find(due.when, due.rank)] = due.list;
  }

  std::vector<Due> heap_;  ///< one entry per list
  std::vector<List> lists_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> table_;  ///< open addressing: lists by time and rank
  std::uint32_t free_node_ = none, free_list_ = none;
  std::size_t size_ = 0;
};

}  // namespace podsim::base
