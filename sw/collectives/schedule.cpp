// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace podsim::sw {

namespace {

std::vector<int> joined_dimensions(const noc::Topology& topology) {
  std::vector<int> result;
  for (int d = topology.dimensions() - 1; d >= 0; --d) {
    if (topology.size(d) > 1) result.push_back(d);
  }
  return result;
}

// With links along several dimensions, at least two colours keep all of them busy.
int colours_for(const noc::Topology& topology, int cores) {
  return joined_dimensions(topology).size() > 1 && cores < 2 ? 2 : cores;
}

std::vector<Stage> stages_along(const std::vector<int>& order, const noc::Topology& topology, std::int64_t part) {
  std::vector<Stage> scatter;
  for (int d : order) {
    part /= topology.size(d);
    scatter.push_back({StageKind::reduce_scatter, d, topology.size(d), topology.wraps(d), part});
  }
  std::vector<Stage> result = scatter;
  for (auto stage = scatter.rbegin(); stage != scatter.rend(); ++stage) {
    result.push_back(*stage);
    result.back().kind = StageKind::all_gather;
  }
  return result;
}

std::int32_t around(std::int32_t position, std::int32_t size) { return (position % size + size) % size; }

}  // namespace

std::string Stage::name() const {
  return (kind == StageKind::reduce_scatter ? "reduce-scatter " : "all-gather ") + noc::dimension_name(dimension);
}

std::uint64_t pack(const Token& token) {
  return std::uint64_t(token.segment) | std::uint64_t(token.distance) << 32 | std::uint64_t(token.direction < 0) << 48 |
         std::uint64_t(token.stage) << 49 | std::uint64_t(token.colour) << 56;
}

Token unpack(std::uint64_t tag) {
  return {.colour = int(tag >> 56),
          .stage = int(tag >> 49 & 0x7f),
          .direction = (tag >> 48 & 1) != 0 ? -1 : 1,
          .distance = std::int32_t(tag >> 32 & 0xffff),
          .segment = std::int32_t(tag & 0xffffffff)};
}

AllReduceSchedule::AllReduceSchedule(noc::Topology topology, int cores_per_chip, std::int64_t elements,
                                     ElementType type, std::int64_t segment)
    : topology_(std::move(topology)),
      cores_per_chip_(cores_per_chip),
      elements_(elements),
      type_(type),
      segment_(segment),
      colours_(colours_for(topology_, cores_per_chip)),
      part_(base::divide_round_up(elements, std::int64_t(colours_) * topology_.nodes()) * topology_.nodes()) {
  assert(elements >= 1 && segment >= 1 && cores_per_chip >= 1);
  std::vector<int> order = joined_dimensions(topology_);
  stages_[0] = stages_along(order, topology_, part_);
  std::reverse(order.begin(), order.end());
  stages_[1] = stages_along(order, topology_, part_);
}

std::int64_t AllReduceSchedule::flow(const Stage& stage, int direction) const {
  if (!stage.wraps) return stage.chunk;
  return direction > 0 ? stage.chunk - stage.chunk / 2 : stage.chunk / 2;
}

std::int32_t AllReduceSchedule::segments_of(std::int64_t elements) const {
  return std::int32_t(base::divide_round_up(elements, segment_));
}

std::int64_t AllReduceSchedule::segment_size(std::int64_t elements, std::int32_t i) const {
  return segment_begin(elements, i + 1) - segment_begin(elements, i);
}

std::int64_t AllReduceSchedule::segment_begin(std::int64_t elements, std::int32_t i) const {
  const std::int64_t segments = segments_of(elements);
  return i * (elements / segments) + std::min<std::int64_t>(i, elements % segments);
}

std::int64_t AllReduceSchedule::token_size(const Token& token) const {
  return segment_size(flow(stages(token.colour)[token.stage], token.direction), token.segment);
}

void AllReduceSchedule::for_each_origin(int colour, int stage_index, std::int32_t position,
                                        const std::function<void(const Token&)>& send) const {
  const Stage& stage = stages(colour)[stage_index];
  auto origin = [&](int direction, std::int32_t distance) {
    if (flow(stage, direction) > 0) send({colour, stage_index, direction, distance, 0});
  };
  std::int32_t last = stage.size - 1;
  if (stage.kind == StageKind::all_gather) {
    if (stage.wraps || position < last) origin(+1, 1);
    if (stage.wraps || position > 0) origin(-1, 1);
  } else if (stage.wraps) {
    origin(+1, stage.size - 2);
    origin(-1, stage.size - 2);
  } else {
    for (std::int32_t distance = last - 1; distance >= 0; --distance) {
      if (position == 0) origin(+1, distance);
      if (position == last) origin(-1, distance);
    }
  }
}

std::optional<Token> AllReduceSchedule::onward(const Token& token, std::int32_t position) const {
  const Stage& stage = stages(token.colour)[token.stage];
  Token next = token;
  if (stage.kind == StageKind::reduce_scatter) {
    next.distance -= 1;
    return token.distance > 0 ? std::optional(next) : std::nullopt;
  }
  next.distance += 1;
  bool more = stage.wraps ? token.distance < stage.size - 1
                          : position + token.direction >= 0 && position + token.direction < stage.size;
  return more ? std::optional(next) : std::nullopt;
}

std::int64_t AllReduceSchedule::completions(int colour, int stage_index, std::int32_t position) const {
  const Stage& stage = stages(colour)[stage_index];
  // Chunks that come in from each side: what travels in + direction comes from lower positions.
  std::int64_t from_below = 1, from_above = 1;
  if (stage.kind == StageKind::all_gather) {
    from_below = stage.wraps ? stage.size - 1 : position;
    from_above = stage.wraps ? stage.size - 1 : stage.size - 1 - position;
  } else if (!stage.wraps) {
    from_below = position > 0;
    from_above = position < stage.size - 1;
  }
  return from_below * segments(stage, +1) + from_above * segments(stage, -1);
}

bool AllReduceSchedule::adds_own(const Token& token, std::int32_t position) const {
  const Stage& stage = stages(token.colour)[token.stage];
  return stage.wraps || token.direction > 0 || position == 0;
}

ElementRange AllReduceSchedule::range(const Token& token, const noc::Coordinates& at) const {
  const Stage& stage = stages(token.colour)[token.stage];
  int toward_owner = stage.kind == StageKind::reduce_scatter ? token.direction : -token.direction;
  std::int32_t chunk = around(at[stage.dimension] + toward_owner * token.distance, stage.size);
  std::int64_t begin = stage_begin(token.colour, token.stage, at) + chunk * stage.chunk;
  if (stage.wraps && token.direction < 0) begin += flow(stage, +1);
  const std::int64_t whole = flow(stages(token.colour)[token.stage], token.direction);
  return {begin + segment_begin(whole, token.segment), token_size(token)};
}

ElementRange AllReduceSchedule::shard_range(int colour, const noc::Coordinates& at) const {
  std::int64_t begin = part(colour).begin;
  for (const Stage& stage : stages(colour)) {
    if (stage.kind == StageKind::reduce_scatter) begin += at[stage.dimension] * stage.chunk;
  }
  return {begin, shard()};
}

std::int64_t AllReduceSchedule::stage_begin(int colour, int stage, const noc::Coordinates& at) const {
  const std::vector<Stage>& all = stages(colour);
  // Stage i of the all-gathers works on the same range as its mirror image among the reduce-scatters.
  int depth = std::min(stage, int(all.size()) - 1 - stage);
  std::int64_t begin = part(colour).begin;
  for (int i = 0; i < depth; ++i) begin += at[all[i].dimension] * all[i].chunk;
  return begin;
}

}  // namespace podsim::sw
