// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "hw/input/input_plan.h"
#include "workloads/job/job_record.h"

namespace podsim::workloads::job {

/// A loop of training steps on the device that may be saved in between and end in an evaluation.
struct LoopPlan {
  std::int64_t steps = 1;
  std::int64_t evaluation_steps = 0;
  std::int64_t checkpoint_steps = 0;  ///< a checkpoint after every N steps of the loop; 0: none

  std::int64_t checkpoints() const { return checkpoint_steps == 0 ? 0 : steps / checkpoint_steps; }
};

/// Parses "steps=1252 eval=13 checkpoint=313"; `eval` and `checkpoint` may be left out. InputError that points into the
/// text.
LoopPlan parse_loop(std::string_view text);

/// What the parts of a loop take.
struct LoopParts {
  LoopPlan plan;
  base::Time step;             ///< of the device, with every batch ready
  base::Time evaluation_step;  ///< likewise
  base::Time reduction;        ///< of an evaluation's metrics over the slice, once
  base::Time launch;           ///< of a program on the device; training and evaluation are one each
  /// The pipelines of the hosts, up to the transfer to the device; std::nullopt: every batch is ready.
  std::optional<hw::input::InputPlan> input;
  std::int64_t queue = 1;  ///< batches on the device that wait for the core
  /// What a step sends its host: over PCIe, and until the host has dealt with it; both 0: nothing is sent.
  base::Time outfeed_transfer, outfeed_handling;
  std::int64_t outfeed_queue = 1;  ///< results of steps on the device that wait for that
  base::Time save;                 ///< of a checkpoint, from the devices to their hosts
  base::Time store;                ///< of it, from the hosts to the storage
  bool store_beside = false;       ///< whether the device runs steps meanwhile
};

/// One round of a loop in its steady state.
struct LoopTime {
  base::Time steps;               ///< with their waits
  base::Time waiting;             ///< for hosts, of the steps
  base::Time outfeed_waiting;     ///< of the steps too, until the host has a free slot for their results
  base::Time evaluation;          ///< with its waits and the reduction
  base::Time evaluation_waiting;  ///< for hosts
  base::Time launches;
  base::Time checkpoints;  ///< while the device waits for them
  bool operator==(const LoopTime&) const = default;

  base::Time all() const { return steps + evaluation + launches + checkpoints; }
};

/// Runs two rounds and returns the second, which begins with the queues as the first leaves them. A step begins when
/// the one before has ended and every host has sent its batch; batches of training and evaluation pass the same
/// pipelines in the order of their use, while the device works.
///
/// Results of a training step go to its host in the order of steps. A step whose results find no free slot in the queue
/// ends when the host has dealt with those of `outfeed_queue` steps before:
///
///   end(n) = max(begin(n) + step, handled(n - outfeed_queue))
///   handled(n) = max(end(n) + outfeed_transfer, handled(n - 1)) + outfeed_handling
///
/// A program on the device cannot be saved, so that checkpoints divide the loop into programs, each with its launch.
/// The device waits for `save`, and for `store` unless storing runs concurrently with the steps: then the next
/// checkpoint begins when the one before is stored.
///
/// Both rounds, their steps and the work of the first hosts are added to `record`, if it is given.
LoopTime time_of_loop(const LoopParts& parts, JobRecord* record = nullptr);

}  // namespace podsim::workloads::job
