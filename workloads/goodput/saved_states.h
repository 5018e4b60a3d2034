// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/goodput/nanoseconds.h"

namespace podsim::workloads::goodput {

/// The state of a training at a checkpoint.
struct SavedState {
  Nanoseconds stored;      ///< when it was complete in the storage
  std::int64_t steps = 0;  ///< done by then
  Nanoseconds work;        ///< that these took
};

/// Steps without an interruption: periods of steps, a check and a checkpoint, until something happens.
struct Stretch {
  Nanoseconds begin;
  SavedState from;          ///< what it begins with
  Nanoseconds step, check;  ///< check: 0 if there is none
  Nanoseconds period, lag;
  std::int64_t period_steps = 1;

  /// What has been done at a time.
  struct Progress {
    std::int64_t steps = 0;  ///< finished
    Nanoseconds work;        ///< in steps, with the unfinished one
    Nanoseconds checks, checkpoints;
    std::int64_t checks_done = 0;
  };
  Progress at(Nanoseconds time) const;
  /// The number of checks that end at or before a time.
  std::int64_t checks_until(Nanoseconds time) const;
  /// The end of check number `n`, from 1.
  Nanoseconds end_of_check(std::int64_t n) const;
  /// The state of checkpoint number `n`; of 0 what the stretch begins with.
  SavedState saved(std::int64_t n) const;
  /// The number of checkpoints that are stored at a time.
  std::int64_t saved_until(Nanoseconds time) const;
};

/// All checkpoints of a job, kept as the stretches that wrote them.
class SavedStates {
 public:
  /// Adds the checkpoints of a stretch that are stored at `end`.
  void add(const Stretch& stretch, Nanoseconds end);
  /// Adds one checkpoint.
  void add(const SavedState& state);
  /// The newest that was stored at or before a time; the begin of the training if there is none. Newer ones are
  /// dropped.
  SavedState take_back(Nanoseconds time);
  /// The newest.
  SavedState newest() const;

 private:
  struct Kept {
    Stretch stretch;
    std::int64_t count = 0;
  };
  std::vector<Kept> kept_;
};

}  // namespace podsim::workloads::goodput
