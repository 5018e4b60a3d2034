// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/collectives/segment.h"

namespace podsim::sw::collectives::engine {

/// Consecutive segments of a flow that a core is to send.
struct SendItem {
  Segment segment;       ///< the next one
  std::int32_t end = 0;  ///< one past the number of the last
  bool from_hbm = false;
};

/// The segments that a core has for one link: first in, first out, apart from those that go first because they only
/// pass the core (Pattern::passes_first). Allocates no memory before its first item.
class SendQueue {
 public:
  bool empty() const { return head_ == items_.size(); }
  SendItem& front() { return items_[head_]; }
  void push(const SendItem& item) { items_.push_back(item); }
  /// After the passing items, before those that start here.
  void push_passing(const SendItem& item) { items_.insert(items_.begin() + std::ptrdiff_t(head_ + passing_++), item); }
  void pop() {
    if (passing_ > 0) --passing_;
    if (++head_ < items_.size()) return;
    items_.clear();
    head_ = 0;
  }

  int in_flight = 0;  ///< segments being read or on the wire

 private:
  std::vector<SendItem> items_;
  std::size_t head_ = 0;
  std::size_t passing_ = 0;  ///< passing items at the head
};

}  // namespace podsim::sw::collectives::engine
