// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "hw/parts/hbm/dram_parameters.h"

namespace podsim::hw::memory::dram {

/// Computes when the refreshes of a pseudo-channel are due. All banks are refreshed once per tREFI: at once, or one
/// after the other in order of their numbers, evenly spaced. All pseudo-channels of a memory refresh in phase, since a
/// stream goes round the channels and is delayed by any one that refreshes.
class RefreshSchedule {
 public:
  explicit RefreshSchedule(const parts::hbm::DramParameters& parameters)
      : steps_(parameters.policy.refresh == parts::hbm::RefreshPolicy::per_bank ? parameters.organization.banks() : 1),
        refi_(parameters.timing.refi.value()),
        enabled_(parameters.policy.refresh != parts::hbm::RefreshPolicy::none) {}

  std::int64_t due() const {
    return enabled_ ? round_ * refi_ + (step_ + 1) * refi_ / steps_ : std::numeric_limits<std::int64_t>::max();
  }
  /// The next bank; 0 if all banks are refreshed at once.
  int bank() const { return int(step_); }
  void done() {
    if (++step_ == steps_) step_ = 0, ++round_;
  }
  /// Counts all rounds that end before `clock` as done, except the last of them.
  void skip_rounds(std::int64_t clock) {
    const std::int64_t rounds = enabled_ ? (clock - due()) / refi_ - 1 : 0;
    if (rounds > 0) round_ += rounds, skipped_ += rounds * steps_;
  }
  std::int64_t skipped() const { return skipped_; }

 private:
  std::int64_t steps_, refi_;
  bool enabled_;
  std::int64_t round_ = 0, step_ = 0, skipped_ = 0;
};

}  // namespace podsim::hw::memory::dram
