// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "workloads/serving/request.h"
#include "workloads/serving/step_cost.h"

namespace podsim::workloads::serving {

/// What a step of a replica does.
struct StepShape {
  std::int64_t decoding = 0;        ///< sequences that get a token each; of samples: those of the batch
  std::int64_t cached = 0;          ///< tokens in the cache for each of them, with those that are drafted
  std::int64_t prefill_tokens = 0;  ///< of prompts that the step reads
  std::int64_t prefill_cached = 0;  ///< tokens before them in the cache, for each of them
  auto operator<=>(const StepShape&) const = default;
};

/// A step and what it takes.
struct TimedStep {
  Nanoseconds time;  ///< at least one
  StepCost cost = {};
};

/// Programs are compiled for some sizes only, and a step runs the next larger one, with padding:
///
///   sequences               1, 2, 3, 4, 6, 8, 12, 16, 24, ...   (powers of two and 1.5 times these)
///     with a prompt's part  1, 2, 4, 8, ...
///   tokens of whole prompts as sequences, from a least size on
///   tokens of a chunk       the chunk, its half, and so on down to the least size
///   tokens in the cache     whole pages, which attention reads, the new token of each sequence included
///
/// No size is above what a step can have.
struct Buckets {
  std::int64_t unit = 1;           ///< sequences or samples come in multiples of it: one for each core
  std::int64_t most_decoding = 0;  ///< 0: no limit
  std::int64_t least_prefill = 16;
  std::int64_t most_prefill = 0;  ///< the chunk; 0: whole prompts
  std::int64_t page = 128;        ///< 0: of samples, which have no cache

  StepShape up(const StepShape& shape) const;
};

/// The smallest size that is not below `count`, and not below `least`; 0 of 0.
std::int64_t bucket_of(std::int64_t count, std::int64_t least = 1);

/// The times of steps. With buckets each shape is padded and asked for once, without them every step is asked for.
class StepTimes {
 public:
  StepTimes(StepCosts costs, std::optional<Buckets> buckets) : costs_(std::move(costs)), buckets_(buckets) {}

  TimedStep of(const StepShape& shape);
  /// The shape that a step is padded to.
  StepShape padded(const StepShape& shape) const { return buckets_ ? buckets_->up(shape) : shape; }

 private:
  StepCosts costs_;
  std::optional<Buckets> buckets_;
  std::map<StepShape, TimedStep> known_;
};

}  // namespace podsim::workloads::serving
