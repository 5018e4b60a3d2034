// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/step_times.h"

#include <algorithm>
#include <bit>

#include "workloads/serving/event_time.h"

namespace podsim::workloads::serving {
namespace {

std::int64_t no_more_than(std::int64_t most, std::int64_t size) { return most > 0 ? std::min(size, most) : size; }

/// The least of chunk, chunk / 2, chunk / 4, ..., each rounded up, that is below neither `tokens` nor `least`.
std::int64_t part_of_chunk(std::int64_t chunk, std::int64_t tokens, std::int64_t least) {
  if (tokens == 0) return 0;
  std::int64_t part = chunk;
  while (part > 1 && (part + 1) / 2 >= std::max(tokens, least)) part = (part + 1) / 2;
  return part;
}

}  // namespace

std::int64_t bucket_of(std::int64_t count, std::int64_t least) {
  if (count <= 0) return 0;
  count = std::max(count, least);
  const auto power = std::int64_t(std::bit_ceil(std::uint64_t(count)));
  const std::int64_t between = power / 4 * 3;
  return power >= 4 && count <= between ? between : power;
}

StepShape Buckets::up(const StepShape& shape) const {
  const std::int64_t units = (shape.decoding + unit - 1) / unit;
  const bool mixed = shape.decoding > 0 && shape.prefill_tokens > 0;
  const std::int64_t sequences = mixed ? std::int64_t(std::bit_ceil(std::uint64_t(units))) : bucket_of(units);
  const auto in_pages = [&](std::int64_t tokens) { return page > 0 ? (tokens + page - 1) / page * page : 0; };
  return {.decoding = no_more_than(most_decoding, unit * sequences),
          .cached = shape.decoding > 0 ? in_pages(shape.cached + 1) : 0,
          .prefill_tokens = most_prefill > 0 ? part_of_chunk(most_prefill, shape.prefill_tokens, least_prefill)
                                             : bucket_of(shape.prefill_tokens, least_prefill),
          .prefill_cached = in_pages(shape.prefill_cached)};
}

TimedStep StepTimes::of(const StepShape& shape) {
  const auto asked = [&](const StepShape& of) {
    const StepCost cost = costs_(of);
    return TimedStep{std::max(event_time(cost.seconds, "a step takes longer", "a larger slice"), Nanoseconds(1)), cost};
  };
  if (!buckets_) return asked(shape);
  const StepShape up = buckets_->up(shape);
  const auto known = known_.find(up);
  if (known != known_.end()) return known->second;
  return known_.emplace(up, asked(up)).first->second;
}

}  // namespace podsim::workloads::serving
