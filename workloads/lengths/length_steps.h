// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "workloads/lengths/length_law.h"

namespace podsim::workloads::lengths {

/// Sizes of a step's program that depend on lengths, in tokens.
struct StepShape {
  std::int64_t array = 0;    ///< of a sequence, with padding
  std::int64_t longest = 0;  ///< where loops over time end: the longest sample of the batch; else as `array`
  auto operator<=>(const StepShape&) const = default;
};

/// A bucket of samples.
struct LengthBucket {
  std::int64_t end = 0;    ///< tokens of its longest samples
  std::int64_t array = 0;  ///< tokens of a sequence in its batches, at least `end`
  bool operator==(const LengthBucket&) const = default;
};

/// Steps of one shape among those that were drawn.
struct ShapeSteps {
  StepShape shape;
  std::int64_t steps = 0;
  std::int64_t samples = 0;  ///< of all its steps
  std::int64_t tokens = 0;   ///< of these samples, without padding
};

struct DrawOptions {
  std::int64_t batch = 1;  ///< sequences of a step of the whole machine
  std::int64_t steps = 1;  ///< to draw
  std::uint64_t seed = 1;
  bool loops = false;  ///< the program has loops over time, whose trips are part of a shape
  std::function<void(double share)> progress = {};
};

/// Samples of a law arrive one by one and wait in the bucket of their length, the first whose end (ascending, the last
/// one at least law.most()) is not below it. When a bucket has a batch, it is a step. So a bucket has as many steps as
/// its share of the samples. Sorted by shape.
std::vector<ShapeSteps> bucketed_steps(const LengthLaw& law, std::span<const LengthBucket> buckets,
                                       const DrawOptions& options);

/// Samples of a law arrive one by one and are packed into sequences of `room` tokens, at least law.most(): a sample
/// that does not fit into the sequence begins the next one. All steps have one shape.
std::vector<ShapeSteps> packed_steps(const LengthLaw& law, std::int64_t room, const DrawOptions& options);

}  // namespace podsim::workloads::lengths
