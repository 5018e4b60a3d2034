// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "hw/chip/chip_transfers.h"

namespace podsim::hw::chip {

/// Concurrent transfers, and a function that is called when all of them have ended.
class JointMoves {
 public:
  /// Without a transfer it ends at `earliest`.
  explicit JointMoves(base::Time earliest) : latest_(earliest) {}

  void add(const MoveEnd& end);
  /// Whether the time at which all have ended is known.
  bool known() const { return running_ == nullptr; }
  /// That time. Precondition: it is known.
  base::Time end() const { return latest_; }
  /// Calls `next` with the time at which all have ended: at once if it is known, else at that time. Called once, after
  /// the last add().
  template <class Next>
  void then(Next&& next) {
    if (known()) return next(latest_);
    follow(std::forward<Next>(next));
  }

 private:
  /// The transfers whose ends are events.
  struct Running {
    int left = 0;
    base::Time latest;
    std::function<void(base::Time)> next;
  };

  void follow(std::function<void(base::Time)> next);
  static void ended(Running& running);

  base::Time latest_;
  std::shared_ptr<Running> running_;
};

}  // namespace podsim::hw::chip
