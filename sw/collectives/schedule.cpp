// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/units.h"

namespace podsim::sw {
namespace {

constexpr std::int64_t exchange_segments = 16;  // so that little waits for the last one of a position to go on

std::int32_t around(std::int32_t position, std::int32_t size) { return (position % size + size) % size; }

/// The segments of a flow are as equal as can be, so that no short one follows the others down the line.
ElementRange segment_of(std::int64_t elements, std::int32_t segments, std::int32_t i) {
  auto begin = [&](std::int64_t s) { return s * (elements / segments) + std::min(s, elements % segments); };
  return {begin(i), begin(i + 1) - begin(i)};
}

std::int32_t pieces(std::int64_t elements, std::int64_t most) {
  return std::int32_t(base::divide_round_up(elements, most));
}

std::string dimension_text(const LogicalDimension& dimension) {
  return dimension.physical < 0 ? "group" : noc::dimension_name(dimension.physical);
}

bool in_direction(const Stage& stage, int direction, std::int32_t position) {
  if (stage.segments[direction < 0] == 0) return false;
  return stage.flow != Flow::line || (direction > 0 ? position < stage.size - 1 : position > 0);
}

/// Steps that a broadcast or an exchange goes in a direction around a ring.
std::int32_t reach(const Stage& stage, int direction) {
  if (stage.kind == StageKind::exchange) return stage.size / 2;
  if (stage.flow == Flow::one_way) return direction > 0 ? stage.size - 1 : 0;
  return direction > 0 ? stage.size / 2 : (stage.size - 1) / 2;
}

}  // namespace

GroupSchedule::GroupSchedule(const GroupLayout& layout, CollectiveKind kind, Algorithm algorithm, std::int64_t elements,
                             const SegmentLengths& lengths)
    : kind_(kind),
      cores_(layout.cores),
      dimensions_(layout.dimensions),
      ranks_(std::int32_t(layout.members.size())),
      exchanges_(kind == CollectiveKind::all_to_all && algorithm != Algorithm::direct),
      per_chip_(kind != CollectiveKind::all_to_all && kind != CollectiveKind::collective_permute) {
  assert(elements >= 1 && lengths.link >= 1 && lengths.least >= 1 && lengths.most >= 1);
  if ((per_chip_ || exchanges_) && dimensions_.size() > 1) {
    if (algorithm == Algorithm::two_colour) orders_ = 2;
    if (algorithm == Algorithm::rotated) orders_ = int(dimensions_.size());
  }
  if (exchanges_) {
    colours_ = orders_;
  } else if (!per_chip_) {
    // Two where they differ in their way: half around a ring.
    const bool opposite = std::ranges::any_of(
        dimensions_, [](const LogicalDimension& along) { return along.closed && along.size % 2 == 0; });
    colours_ = kind == CollectiveKind::all_to_all && opposite ? 2 : 1;
  } else if (kind == CollectiveKind::broadcast) {
    colours_ = orders_;
  } else if (kind != CollectiveKind::all_reduce || algorithm != Algorithm::one_way_ring) {
    colours_ = std::lcm(cores_, orders_);
  }
  const std::int64_t shards = per_chip_ ? std::int64_t(layout.places()) * colours_
                                        : std::int64_t(kind == CollectiveKind::all_to_all ? ranks_ : 1) * colours_;
  shard_ = base::divide_round_up(elements, kind == CollectiveKind::broadcast ? colours_ : shards);
  part_ = kind == CollectiveKind::broadcast ? shard_ : shard_ * (shards / colours_);
  cuts_.resize(std::size_t(orders_));
  stages_.resize(std::size_t(orders_));
  if (!per_chip_ && !exchanges_) {
    add_direct(lengths);
  } else {
    for (int order = 0; order < orders_; ++order) add_stages(order, algorithm, lengths);
  }
}

void GroupSchedule::add_direct(const SegmentLengths& lengths) {
  if (ranks_ == 1) return;
  const std::int32_t segments = pieces(shard_, lengths.most);
  for (std::vector<Stage>& stages : stages_) {
    stages = {{.kind = StageKind::direct,
               .size = ranks_,
               .chunk = shard_,
               .segments = {segments, 0},
               .name = std::string(to_string(kind_))}};
  }
}

void GroupSchedule::add_stages(int order, Algorithm algorithm, const SegmentLengths& lengths) {
  std::vector<int> visited;
  for (int d = int(dimensions_.size()) - 1; d >= 0; --d) visited.push_back(d);
  if (algorithm == Algorithm::rotated) {
    std::ranges::rotate(visited, visited.begin() + order);
  } else if (order == 1) {
    std::ranges::reverse(visited);
  }
  std::vector<Stage>& stages = stages_[std::size_t(order)];
  if (kind_ == CollectiveKind::broadcast) {
    for (int d : visited) stages.push_back(stage_along(StageKind::broadcast, d, 0, part_, algorithm, lengths));
    return;
  }
  if (exchanges_) return add_exchanges(visited, algorithm, lengths, stages);
  std::int64_t chunk = part_;
  std::vector<Cut>& cuts = cuts_[std::size_t(order)];
  for (int d : visited) cuts.push_back({d, chunk /= dimensions_[std::size_t(d)].size});
  auto add = [&](StageKind kind, std::size_t depth) {
    const Cut& cut = cuts[depth];
    stages.push_back(stage_along(kind, cut.dimension, int(depth), cut.chunk, algorithm, lengths));
  };
  if (reduces(kind_)) {
    for (std::size_t depth = 0; depth < cuts.size(); ++depth) add(StageKind::reduce_scatter, depth);
  }
  if (kind_ != CollectiveKind::reduce_scatter) {
    for (std::size_t depth = cuts.size(); depth-- > 0;) add(StageKind::all_gather, depth);
  }
}

void GroupSchedule::add_exchanges(const std::vector<int>& visited, Algorithm algorithm, const SegmentLengths& lengths,
                                  std::vector<Stage>& stages) const {
  for (int d : visited) {
    const std::int64_t chunk = part_ / dimensions_[std::size_t(d)].size;
    stages.push_back(stage_along(StageKind::exchange, d, 0, chunk, algorithm, lengths));
  }
  if (!stages.empty()) stages.back().parts = cores_;
}

Stage GroupSchedule::stage_along(StageKind kind, int dimension, int depth, std::int64_t chunk, Algorithm algorithm,
                                 const SegmentLengths& lengths) const {
  const LogicalDimension& along = dimensions_[std::size_t(dimension)];
  Stage stage;
  stage.kind = kind;
  stage.dimension = dimension;
  stage.depth = depth;
  stage.size = along.size;
  stage.chunk = chunk;
  static constexpr std::array names{"reduce-scatter ", "all-gather ", "broadcast ", "exchange "};
  stage.name = names[std::size_t(kind)] + dimension_text(along);
  stage.flow = algorithm == Algorithm::one_way_ring                 ? Flow::one_way
               : algorithm == Algorithm::ring || along.physical < 0 ? Flow::ring
               : algorithm == Algorithm::line || !along.closed      ? Flow::line
                                                                    : Flow::ring;
  const bool whole = algorithm == Algorithm::one_way_ring;
  if (kind == StageKind::broadcast) {
    const std::int32_t segments = whole ? 1 : pieces(chunk, std::min(lengths.link, lengths.most));
    stage.segments = {segments, stage.flow == Flow::one_way ? 0 : segments};
    return stage;
  }
  if (kind == StageKind::exchange) {
    // The first message of a flow is the longest.
    const std::int64_t longest = chunk * (stage.flow == Flow::line ? stage.size - 1 : reach(stage, +1));
    const std::int64_t wanted = std::clamp<std::int64_t>(longest / lengths.link, 1, exchange_segments);
    stage.segments.fill(std::max(std::int32_t(wanted), pieces(longest, lengths.most)));
    return stage;
  }
  if (stage.flow == Flow::line) {
    const std::int64_t least = std::min(lengths.least, lengths.most);
    stage.bundle =
        std::int32_t(std::clamp<std::int64_t>(chunk < least ? base::divide_round_up(least, chunk) : 1, 1, stage.size));
    stage.segments.fill(pieces(chunk, lengths.most));
    return stage;
  }
  // Two segments of a link at a time keep it busy while one of them is seen and summed; colours bring one each.
  const int ways = algorithm == Algorithm::two_colour ? 2 : orders_;
  const std::int64_t together = std::max(1, colours_ / ways);
  for (int direction : {+1, -1}) {
    const std::int64_t elements = flow(stage, direction);
    const std::int32_t wanted = together == 1 && elements > 1 ? 2 : 1;
    stage.segments[direction < 0] = elements == 0 ? 0 : whole ? 1 : std::max(wanted, pieces(elements, lengths.most));
  }
  return stage;
}

std::int64_t GroupSchedule::flow(const Stage& stage, int direction) {
  if (stage.kind == StageKind::broadcast || stage.kind == StageKind::exchange || stage.kind == StageKind::direct ||
      stage.flow == Flow::line)
    return stage.chunk;
  if (stage.flow == Flow::one_way) return direction > 0 ? stage.chunk : 0;
  return direction > 0 ? stage.chunk - stage.chunk / 2 : stage.chunk / 2;
}

void GroupSchedule::for_each_origin(int colour, int stage_index, const noc::Coordinates& at,
                                    const std::function<void(const Token&)>& send) const {
  const Stage& stage = stages(colour)[std::size_t(stage_index)];
  const std::int32_t position = at[std::size_t(stage.dimension)], last = stage.size - 1;
  auto origin = [&](int direction, std::int32_t distance) {
    if (in_direction(stage, direction, position)) send({colour, stage_index, direction, distance, 0});
  };
  if (stage.kind == StageKind::direct) {
    if (kind_ == CollectiveKind::collective_permute && !at[0]) return;
    for (std::int32_t peer = 1; peer < stage.size; ++peer) send({colour, stage_index, +1, peer, 0});
  } else if (stage.kind == StageKind::exchange) {
    origin(+1, stage.flow == Flow::line ? position : 1);
    origin(-1, stage.flow == Flow::line ? position : 1);
  } else if (stage.kind == StageKind::broadcast) {
    if (stage.flow == Flow::line || reach(stage, +1) > 0) origin(+1, 1);
    if (stage.flow == Flow::line || reach(stage, -1) > 0) origin(-1, 1);
  } else if (stage.flow != Flow::line) {
    const std::int32_t first = stage.kind == StageKind::all_gather ? 1 : stage.size - 2;
    origin(+1, first);
    origin(-1, first);
  } else if (stage.kind == StageKind::all_gather) {
    // A bundle starts where its first chunk is; those who own the others add theirs when it comes by.
    const std::int32_t bundle = position / stage.bundle;
    if (position % stage.bundle == 0) origin(+1, bundle);
    if ((position + 1) % stage.bundle == 0 || position == last) origin(-1, bundle);
  } else {
    for (std::int32_t i = 0; i < stage.bundles(); ++i) {
      const std::int32_t above = stage.bundles() - 1 - i;
      if (position == 0 && std::min(last, (above + 1) * stage.bundle - 1) > 0) origin(+1, above);
      if (position == last && i * stage.bundle < last) origin(-1, i);
    }
  }
}

std::optional<Token> GroupSchedule::onward(const Token& token, const noc::Coordinates& at) const {
  const Stage& stage = stage_of(token);
  const std::int32_t position = at[std::size_t(stage.dimension)];
  Token next = token;
  if (stage.kind == StageKind::direct) return std::nullopt;
  if (stage.kind == StageKind::exchange) {
    if (chunks(token, position) == 1) return std::nullopt;
    if (stage.flow != Flow::line) ++next.distance;
    return next;
  }
  if (stage.flow == Flow::line && stage.kind != StageKind::broadcast) {
    if (!in_direction(stage, token.direction, position)) return std::nullopt;
    if (stage.kind == StageKind::all_gather) return next;
    const auto [first, end] = bundled(stage, token, position + token.direction);
    return first < end ? std::optional(next) : std::nullopt;
  }
  const bool scatters = stage.kind == StageKind::reduce_scatter;
  next.distance += scatters ? -1 : 1;
  bool more = scatters ? token.distance > 0 : token.distance < stage.size - 1;
  if (stage.kind == StageKind::broadcast) {
    more = stage.flow == Flow::line ? in_direction(stage, token.direction, position)
                                    : token.distance < reach(stage, token.direction);
  }
  return more ? std::optional(next) : std::nullopt;
}

std::int32_t GroupSchedule::next_position(const Token& token, std::int32_t position) const {
  return around(position + token.direction, stage_of(token).size);
}

bool GroupSchedule::ends_here(const Token& token, const noc::Coordinates& at) const {
  const Stage& stage = stage_of(token);
  if (stage.flow != Flow::line) return token.distance == 0;
  return at[std::size_t(stage.dimension)] / stage.bundle == token.distance;
}

std::int64_t GroupSchedule::completions(int colour, int stage_index, const noc::Coordinates& at) const {
  const Stage& stage = stages(colour)[std::size_t(stage_index)];
  const std::int32_t position = at[std::size_t(stage.dimension)];
  if (stage.kind == StageKind::direct) {
    const bool receives = kind_ != CollectiveKind::collective_permute || at[1] != 0;
    return receives ? std::int64_t(stage.size - 1) * stage.segments[0] : 0;
  }
  if (stage.kind == StageKind::broadcast) return stage.segments[0];
  if (stage.kind == StageKind::exchange) {
    const bool line = stage.flow == Flow::line;
    return (line ? position : reach(stage, +1)) * stage.segments[0] +
           (line ? stage.size - 1 - position : reach(stage, -1)) * stage.segments[1];
  }
  // Flows that come in from each side: what travels in positive direction comes from lower positions.
  std::int64_t from_below = 1, from_above = 1;
  if (stage.kind == StageKind::all_gather) {
    from_below = from_above = stage.size - 1;
    if (stage.flow == Flow::line) {
      from_below = position > 0 ? (position - 1) / stage.bundle + 1 : 0;
      from_above = position < stage.size - 1 ? stage.bundles() - (position + 1) / stage.bundle : 0;
    }
  } else if (stage.flow == Flow::line) {
    from_below = position > 0;
    from_above = position < stage.size - 1;
  }
  return from_below * stage.segments[0] + from_above * stage.segments[1];
}

std::pair<std::int32_t, std::int32_t> GroupSchedule::bundled(const Stage& stage, const Token& token,
                                                             std::int32_t position) {
  std::int32_t first = token.distance * stage.bundle;
  std::int32_t end = std::min(stage.size, first + stage.bundle);
  // Partial sums are on their way to owners ahead, finished chunks come from owners behind.
  const bool from_here_up = (stage.kind == StageKind::reduce_scatter) == (token.direction > 0);
  const std::int32_t edge = stage.kind == StageKind::reduce_scatter ? position : position - token.direction;
  if (from_here_up) {
    first = std::max(first, edge);
  } else {
    end = std::min(end, edge + 1);
  }
  return {first, end};
}

std::int32_t GroupSchedule::origin(const Token& token, std::int32_t position) const {
  const Stage& stage = stage_of(token);
  if (stage.flow == Flow::line) return token.distance;
  return around(position - token.direction * token.distance, stage.size);
}

std::int32_t GroupSchedule::chunks(const Token& token, std::int32_t position) const {
  const Stage& stage = stage_of(token);
  if (stage.flow != Flow::line) return reach(stage, token.direction) - token.distance + 1;
  return token.direction > 0 ? stage.size - position : position + 1;
}

ElementRange GroupSchedule::slice(const Token& token, std::int32_t steps) const {
  const Stage& stage = stage_of(token);
  ElementRange of{0, stage.chunk / stage.parts};
  if (stage.flow != Flow::line && 2 * (token.distance + steps) == stage.size) {
    const std::int64_t half = of.count / 2;
    of = token.direction > 0 ? ElementRange{0, of.count - half} : ElementRange{of.count - half, half};
  }
  const ElementRange segment = segment_of(of.count, segments(token), token.segment);
  return {of.begin + segment.begin, segment.count};
}

std::int64_t GroupSchedule::size(const Token& token, std::int32_t position) const {
  const Stage& stage = stage_of(token);
  if (stage.kind == StageKind::exchange) {
    // The last one alone may be half a chunk.
    const std::int32_t last = chunks(token, position) - 1;
    const std::int64_t before = last > 0 ? last * slice(token, 0).count : 0;
    return (before + slice(token, last).count) * stage.parts;
  }
  if (stage.flow == Flow::line && stage.bundle > 1) {
    const auto [first, end] = bundled(stage, token, position);
    return (end - first) * stage.chunk;
  }
  return segment_of(flow(stage, token.direction), segments(token), token.segment).count;
}

std::int64_t GroupSchedule::contributed(const Token& token, std::int32_t position) const {
  const Stage& stage = stage_of(token);
  const std::int64_t all = size(token, position);
  const bool second =
      stage.flow == Flow::line && token.direction < 0 && position > 0 && position / stage.bundle == token.distance;
  if (!second) return all;
  return stage.bundle > 1 ? all - stage.chunk : 0;
}

ElementRange GroupSchedule::range(const Token& token, const noc::Coordinates& at) const {
  const Stage& stage = stage_of(token);
  const std::int32_t position = at[std::size_t(stage.dimension)];
  const std::int64_t begin = stage_begin(token.colour, stage, at);
  const ElementRange segment = segment_of(flow(stage, token.direction), segments(token), token.segment);
  if (stage.kind == StageKind::broadcast) return {begin + segment.begin, segment.count};
  if (stage.flow == Flow::line) {
    const auto [first, end] = bundled(stage, token, position);
    if (stage.bundle > 1) return {begin + first * stage.chunk, (end - first) * stage.chunk};
    return {begin + first * stage.chunk + segment.begin, segment.count};
  }
  const int toward_owner = stage.kind == StageKind::reduce_scatter ? token.direction : -token.direction;
  const std::int32_t chunk = around(position + toward_owner * token.distance, stage.size);
  const std::int64_t half = token.direction < 0 ? flow(stage, +1) : 0;
  return {begin + chunk * stage.chunk + half + segment.begin, segment.count};
}

ElementRange GroupSchedule::shard_range(int colour, const noc::Coordinates& at) const {
  std::int64_t begin = part(colour).begin;
  for (const Cut& cut : cuts_[std::size_t(colour % orders_)]) begin += at[std::size_t(cut.dimension)] * cut.chunk;
  return {begin, shard_};
}

std::int64_t GroupSchedule::stage_begin(int colour, const Stage& stage, const noc::Coordinates& at) const {
  std::int64_t begin = part(colour).begin;
  const std::vector<Cut>& cuts = cuts_[std::size_t(colour % orders_)];
  for (int i = 0; i < stage.depth; ++i)
    begin += at[std::size_t(cuts[std::size_t(i)].dimension)] * cuts[std::size_t(i)].chunk;
  return begin;
}

}  // namespace podsim::sw
