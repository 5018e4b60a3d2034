// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/step_times.h"

#include <algorithm>
#include <bit>

namespace podsim::workloads::serving {
namespace {

std::int64_t at_most(std::int64_t size, std::int64_t most) { return most > 0 ? std::min(size, most) : size; }

}  // namespace

std::int64_t bucket_of(std::int64_t count, std::int64_t least) {
  if (count <= 0) return 0;
  count = std::max(count, least);
  const auto power = std::int64_t(std::bit_ceil(std::uint64_t(count)));
  const std::int64_t between = power / 4 * 3;
  return power >= 4 && count <= between ? between : power;
}

StepShape Buckets::up(const StepShape& shape) const {
  const auto in_pages = [&](std::int64_t tokens) { return page > 0 ? (tokens + page - 1) / page * page : 0; };
  return {.decoding = at_most(unit * bucket_of((shape.decoding + unit - 1) / unit), most_decoding),
          .cached = shape.decoding > 0 ? in_pages(shape.cached + 1) : 0,
          .prefill_tokens = at_most(bucket_of(shape.prefill_tokens, least_prefill), most_prefill),
          .prefill_cached = in_pages(shape.prefill_cached)};
}

Nanoseconds StepTimes::of(const StepShape& shape) {
  const auto asked = [&](const StepShape& of) {
    return std::max(goodput::nanoseconds(base::Duration(seconds_(of))), Nanoseconds(1));
  };
  if (!buckets_) return asked(shape);
  const StepShape up = buckets_->up(shape);
  const auto known = known_.find(up);
  if (known != known_.end()) return known->second;
  return known_.emplace(up, asked(up)).first->second;
}

}  // namespace podsim::workloads::serving
