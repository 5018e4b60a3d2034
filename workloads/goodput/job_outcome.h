// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "workloads/goodput/fault_events.h"
#include "workloads/goodput/nanoseconds.h"

namespace podsim::workloads::goodput {

/// What failures of one cause took.
struct CauseTimes {
  std::int64_t interruptions = 0;
  Nanoseconds lost;       ///< steps that ran again, or were not finished
  Nanoseconds detection;  ///< until it was known what had failed
  Nanoseconds waiting;    ///< for a repair or a spare
  Nanoseconds restart;    ///< of the job, also that behind a repair
  Nanoseconds all() const { return lost + detection + waiting + restart; }
};

/// A job over its days. Its times add up to them.
struct JobOutcome {
  std::int64_t steps = 0;   ///< that count at the end
  Nanoseconds training;     ///< in these steps, as long as on the whole slice, and in the unfinished one at the end
  Nanoseconds slower;       ///< that these steps took longer, on smaller slices and with rerouted messages
  Nanoseconds checks;       ///< of results
  Nanoseconds checkpoints;  ///< while the device waited for them
  Nanoseconds start;        ///< the first one
  std::array<CauseTimes, all_causes.size()> causes;
  std::int64_t interruptions = 0;  ///< unannounced
  std::int64_t announced = 0;
  std::int64_t smaller_slices = 0;  ///< times that it went on with a smaller slice
  std::int64_t rerouted = 0;        ///< times that it went on with dead links
  std::int64_t suspect_steps = 0;   ///< of the steps, computed after a corruption that no check has found yet

  CauseTimes& of(Cause cause) { return causes[std::size_t(cause)]; }
  const CauseTimes& of(Cause cause) const { return causes[std::size_t(cause)]; }
  Nanoseconds all() const;
};

}  // namespace podsim::workloads::goodput
