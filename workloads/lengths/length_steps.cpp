// SPDX-License-Identifier: Apache-2.0
#include "workloads/lengths/length_steps.h"

#include <algorithm>
#include <map>

#include "base/host/interrupt.h"
#include "workloads/streams/alias_table.h"
#include "workloads/streams/random_bits.h"

namespace podsim::workloads::lengths {
namespace {

/// Lengths of samples, one after the other.
class Samples {
 public:
  Samples(const LengthLaw& law, std::uint64_t seed) : lengths_(law.shares), random_(seed) {}
  std::int64_t next() { return std::int64_t(lengths_.draw(random_.bits())) + 1; }

 private:
  streams::AliasTable lengths_;
  streams::RandomSequence random_;
};

/// Samples that wait for their batch.
struct Waiting {
  std::int64_t samples = 0, tokens = 0, longest = 0;
};

void report(const DrawOptions& options, std::int64_t step) {
  base::host::end_if_interrupted();
  if (options.progress) options.progress(double(step) / double(options.steps));
}

}  // namespace

std::vector<ShapeSteps> bucketed_steps(const LengthLaw& law, std::span<const LengthBucket> buckets,
                                       const DrawOptions& options) {
  std::vector<std::size_t> bucket_of;  // by length
  for (std::size_t i = 0; i < buckets.size(); ++i) bucket_of.resize(std::size_t(buckets[i].end) + 1, i);
  std::vector<Waiting> waiting(buckets.size());
  std::map<StepShape, ShapeSteps> shapes;
  Samples samples(law, options.seed);
  for (std::int64_t step = 0; step < options.steps;) {
    const std::int64_t length = samples.next();
    const std::size_t number = bucket_of[std::size_t(length)];
    Waiting& bucket = waiting[number];
    ++bucket.samples;
    bucket.tokens += length;
    bucket.longest = std::max(bucket.longest, length);
    if (bucket.samples < options.batch) continue;
    const std::int64_t array = buckets[number].array;
    const StepShape shape{array, options.loops ? bucket.longest : array};
    ShapeSteps& same = shapes[shape];
    same.shape = shape;
    ++same.steps;
    same.samples += bucket.samples;
    same.tokens += bucket.tokens;
    bucket = {};
    report(options, ++step);
  }
  std::vector<ShapeSteps> sorted;
  for (const auto& [shape, steps] : shapes) sorted.push_back(steps);
  return sorted;
}

std::vector<ShapeSteps> packed_steps(const LengthLaw& law, std::int64_t room, const DrawOptions& options) {
  ShapeSteps all{.shape = {room, room}, .steps = options.steps};
  Samples samples(law, options.seed);
  std::int64_t length = samples.next();
  for (std::int64_t step = 0; step < options.steps; report(options, ++step)) {
    for (std::int64_t sequence = 0; sequence < options.batch; ++sequence) {
      for (std::int64_t free = room; length <= free; length = samples.next()) {
        free -= length;
        ++all.samples;
        all.tokens += length;
      }
    }
  }
  return {all};
}

}  // namespace podsim::workloads::lengths
