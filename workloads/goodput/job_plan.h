// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/goodput/nanoseconds.h"
#include "workloads/goodput/remaining_slice.h"
#include "workloads/goodput/site.h"

namespace podsim::workloads::goodput {

/// A slice on which the job runs, with steps of the same samples on all of them, so that a step counts the same.
struct Way {
  Sizes sizes;
  Nanoseconds step;
  Nanoseconds restart;  ///< all that a start with a checkpoint takes
  Nanoseconds save;     ///< of a checkpoint, from the devices to their hosts; the device waits
  Nanoseconds store;    ///< from the hosts to the storage
};

/// What a job does when a part fails and there is no spare.
enum class WithoutSpare {
  reslice,  ///< go on with a smaller slice, or with messages rerouted, if that is worth a restart; else wait
  wait      ///< wait for the repair
};

/// A job over days.
struct JobPlan {
  const Site* site = nullptr;  ///< outlives the plan
  Nanoseconds horizon;
  std::vector<Way> ways;                ///< the whole slice, then smaller ones
  std::optional<Nanoseconds> rerouted;  ///< step with links that are dead; std::nullopt: those stop the slice
  std::int64_t checkpoint_steps = 1;    ///< from one checkpoint to the next
  bool beside = false;                  ///< whether steps run while hosts store a checkpoint
  std::optional<Nanoseconds> check;     ///< of results on the whole slice, before each checkpoint; std::nullopt: none
  double silent_found = 1;              ///< probability that a check finds a defective chip
  std::int64_t spares = 0;              ///< hosts with their chips that can take over for broken ones
  WithoutSpare without_spare = WithoutSpare::reslice;
  Nanoseconds detection, diagnosis, exchange;
  Nanoseconds repair, cable_repair;  ///< means; exponential

  /// Time of a check, a step that runs twice; on a smaller slice, or around dead links, it takes longer as the step
  /// does.
  Nanoseconds check_time(Nanoseconds step) const;
  /// From the begin of one checkpoint's steps to that of the next: steps, check, and the wait for the checkpoint. A
  /// checkpoint that is stored while steps run waits for the storing of the one before.
  Nanoseconds period(Nanoseconds step, const Way& way) const;
  /// The part of a period in which the device waits for the checkpoint.
  Nanoseconds blocked(Nanoseconds step, const Way& way) const;
  /// From the end of a period until its checkpoint is stored.
  Nanoseconds lag(const Way& way) const { return beside ? way.store : Nanoseconds(0); }
};

}  // namespace podsim::workloads::goodput
