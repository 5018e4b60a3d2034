// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/units.h"

namespace podsim::sw::collectives {
namespace {

constexpr std::int64_t exchange_segments = 16;  // so that little waits for the last one of a position to go on

std::int32_t around(std::int32_t position, std::int32_t size) { return (position % size + size) % size; }

/// The segments of a flow are as equal as can be, so that no short one follows the others down the line.
ElementRange segment_range(std::int64_t elements, std::int32_t segments, std::int32_t i) {
  auto begin = [&](std::int64_t s) { return s * (elements / segments) + std::min(s, elements % segments); };
  return {begin(i), begin(i + 1) - begin(i)};
}

std::int32_t pieces(std::int64_t elements, std::int64_t most) {
  return std::int32_t(base::divide_round_up(elements, most));
}

std::string dimension_text(const LogicalDimension& dimension) {
  return dimension.physical < 0 ? "group" : noc::dimension_name(dimension.physical);
}

bool in_direction(const Phase& phase, int direction, std::int32_t position) {
  if (phase.segments[direction < 0] == 0) return false;
  return phase.flow != Flow::line || (direction > 0 ? position < phase.size - 1 : position > 0);
}

/// Steps that a broadcast or an exchange goes in a direction around a ring.
std::int32_t reach(const Phase& phase, int direction) {
  if (phase.kind == PhaseKind::exchange) return phase.size / 2;
  if (phase.flow == Flow::one_way) return direction > 0 ? phase.size - 1 : 0;
  return direction > 0 ? phase.size / 2 : (phase.size - 1) / 2;
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
    stripes_ = orders_;
  } else if (!per_chip_) {
    // Two where they differ in their way: half around a ring.
    const bool opposite = std::ranges::any_of(
        dimensions_, [](const LogicalDimension& along) { return along.closed && along.size % 2 == 0; });
    stripes_ = kind == CollectiveKind::all_to_all && opposite ? 2 : 1;
  } else if (kind == CollectiveKind::broadcast) {
    stripes_ = orders_;
  } else if (kind != CollectiveKind::all_reduce || algorithm != Algorithm::one_way_ring) {
    stripes_ = std::lcm(cores_, orders_);
  }
  const std::int64_t shards = per_chip_ ? std::int64_t(layout.positions()) * stripes_
                                        : std::int64_t(kind == CollectiveKind::all_to_all ? ranks_ : 1) * stripes_;
  shard_ = base::divide_round_up(elements, kind == CollectiveKind::broadcast ? stripes_ : shards);
  part_ = kind == CollectiveKind::broadcast ? shard_ : shard_ * (shards / stripes_);
  splits_.resize(std::size_t(orders_));
  phases_.resize(std::size_t(orders_));
  if (!per_chip_ && !exchanges_) {
    add_direct(lengths);
  } else {
    for (int order = 0; order < orders_; ++order) add_phases(order, algorithm, lengths);
  }
}

void GroupSchedule::add_direct(const SegmentLengths& lengths) {
  if (ranks_ == 1) return;
  const std::int32_t segments = pieces(shard_, lengths.most);
  for (std::vector<Phase>& phases : phases_) {
    phases = {{.kind = PhaseKind::direct,
               .size = ranks_,
               .chunk = shard_,
               .segments = {segments, 0},
               .name = std::string(to_string(kind_))}};
  }
}

void GroupSchedule::add_phases(int order, Algorithm algorithm, const SegmentLengths& lengths) {
  std::vector<int> visited;
  for (int d = int(dimensions_.size()) - 1; d >= 0; --d) visited.push_back(d);
  if (algorithm == Algorithm::rotated) {
    std::ranges::rotate(visited, visited.begin() + order);
  } else if (order == 1) {
    std::ranges::reverse(visited);
  }
  std::vector<Phase>& phases = phases_[std::size_t(order)];
  if (kind_ == CollectiveKind::broadcast) {
    for (int d : visited) phases.push_back(phase_along(PhaseKind::broadcast, d, 0, part_, algorithm, lengths));
    return;
  }
  if (exchanges_) return add_exchanges(visited, algorithm, lengths, phases);
  std::int64_t chunk = part_;
  std::vector<Split>& splits = splits_[std::size_t(order)];
  for (int d : visited) splits.push_back({d, chunk /= dimensions_[std::size_t(d)].size});
  auto add = [&](PhaseKind kind, std::size_t depth) {
    const Split& split = splits[depth];
    phases.push_back(phase_along(kind, split.dimension, int(depth), split.chunk, algorithm, lengths));
  };
  if (reduces(kind_)) {
    for (std::size_t depth = 0; depth < splits.size(); ++depth) add(PhaseKind::reduce_scatter, depth);
  }
  if (kind_ != CollectiveKind::reduce_scatter) {
    for (std::size_t depth = splits.size(); depth-- > 0;) add(PhaseKind::all_gather, depth);
  }
}

void GroupSchedule::add_exchanges(const std::vector<int>& visited, Algorithm algorithm, const SegmentLengths& lengths,
                                  std::vector<Phase>& phases) const {
  for (int d : visited) {
    const std::int64_t chunk = part_ / dimensions_[std::size_t(d)].size;
    phases.push_back(phase_along(PhaseKind::exchange, d, 0, chunk, algorithm, lengths));
  }
  if (!phases.empty()) phases.back().parts = cores_;
}

Phase GroupSchedule::phase_along(PhaseKind kind, int dimension, int depth, std::int64_t chunk, Algorithm algorithm,
                                 const SegmentLengths& lengths) const {
  const LogicalDimension& along = dimensions_[std::size_t(dimension)];
  Phase phase;
  phase.kind = kind;
  phase.dimension = dimension;
  phase.depth = depth;
  phase.size = along.size;
  phase.chunk = chunk;
  static constexpr std::array names{"reduce-scatter ", "all-gather ", "broadcast ", "exchange "};
  phase.name = names[std::size_t(kind)] + dimension_text(along);
  phase.flow = algorithm == Algorithm::one_way_ring                 ? Flow::one_way
               : algorithm == Algorithm::ring || along.physical < 0 ? Flow::ring
               : algorithm == Algorithm::line || !along.closed      ? Flow::line
                                                                    : Flow::ring;
  const bool whole = algorithm == Algorithm::one_way_ring;
  if (kind == PhaseKind::broadcast) {
    const std::int32_t segments = whole ? 1 : pieces(chunk, std::min(lengths.link, lengths.most));
    phase.segments = {segments, phase.flow == Flow::one_way ? 0 : segments};
    return phase;
  }
  if (kind == PhaseKind::exchange) {
    // The first message of a flow is the longest.
    const std::int64_t longest = chunk * (phase.flow == Flow::line ? phase.size - 1 : reach(phase, +1));
    const std::int64_t wanted = std::clamp<std::int64_t>(longest / lengths.link, 1, exchange_segments);
    phase.segments.fill(std::max(std::int32_t(wanted), pieces(longest, lengths.most)));
    return phase;
  }
  if (phase.flow == Flow::line) {
    const std::int64_t least = std::min(lengths.least, lengths.most);
    phase.chunks_per_message =
        std::int32_t(std::clamp<std::int64_t>(chunk < least ? base::divide_round_up(least, chunk) : 1, 1, phase.size));
    phase.segments.fill(pieces(chunk, lengths.most));
    return phase;
  }
  // Two segments of a link at a time keep it busy while one of them is seen and summed; colours bring one each.
  const int ways = algorithm == Algorithm::two_colour ? 2 : orders_;
  const std::int64_t together = std::max(1, stripes_ / ways);
  for (int direction : {+1, -1}) {
    const std::int64_t elements = flow(phase, direction);
    const std::int32_t wanted = together == 1 && elements > 1 ? 2 : 1;
    phase.segments[direction < 0] = elements == 0 ? 0 : whole ? 1 : std::max(wanted, pieces(elements, lengths.most));
  }
  return phase;
}

std::int64_t GroupSchedule::flow(const Phase& phase, int direction) {
  if (phase.kind == PhaseKind::broadcast || phase.kind == PhaseKind::exchange || phase.kind == PhaseKind::direct ||
      phase.flow == Flow::line)
    return phase.chunk;
  if (phase.flow == Flow::one_way) return direction > 0 ? phase.chunk : 0;
  return direction > 0 ? phase.chunk - phase.chunk / 2 : phase.chunk / 2;
}

void GroupSchedule::for_each_origin(int stripe, int phase_index, const noc::Coordinates& at,
                                    const std::function<void(const Segment&)>& send) const {
  const Phase& phase = phases(stripe)[std::size_t(phase_index)];
  const std::int32_t position = at[std::size_t(phase.dimension)], last = phase.size - 1;
  auto origin = [&](int direction, std::int32_t distance) {
    if (in_direction(phase, direction, position)) send({stripe, phase_index, direction, distance, 0});
  };
  if (phase.kind == PhaseKind::direct) {
    if (kind_ == CollectiveKind::collective_permute && !at[0]) return;
    for (std::int32_t peer = 1; peer < phase.size; ++peer) send({stripe, phase_index, +1, peer, 0});
  } else if (phase.kind == PhaseKind::exchange) {
    origin(+1, phase.flow == Flow::line ? position : 1);
    origin(-1, phase.flow == Flow::line ? position : 1);
  } else if (phase.kind == PhaseKind::broadcast) {
    if (phase.flow == Flow::line || reach(phase, +1) > 0) origin(+1, 1);
    if (phase.flow == Flow::line || reach(phase, -1) > 0) origin(-1, 1);
  } else if (phase.flow != Flow::line) {
    const std::int32_t first = phase.kind == PhaseKind::all_gather ? 1 : phase.size - 2;
    origin(+1, first);
    origin(-1, first);
  } else if (phase.kind == PhaseKind::all_gather) {
    // A bundle starts where its first chunk is; those who own the others add theirs when it comes by.
    const std::int32_t chunks_per_message = position / phase.chunks_per_message;
    if (position % phase.chunks_per_message == 0) origin(+1, chunks_per_message);
    if ((position + 1) % phase.chunks_per_message == 0 || position == last) origin(-1, chunks_per_message);
  } else {
    for (std::int32_t i = 0; i < phase.messages(); ++i) {
      const std::int32_t above = phase.messages() - 1 - i;
      if (position == 0 && std::min(last, (above + 1) * phase.chunks_per_message - 1) > 0) origin(+1, above);
      if (position == last && i * phase.chunks_per_message < last) origin(-1, i);
    }
  }
}

std::optional<Segment> GroupSchedule::onward(const Segment& segment, const noc::Coordinates& at) const {
  const Phase& phase = phase_of(segment);
  const std::int32_t position = at[std::size_t(phase.dimension)];
  Segment next = segment;
  if (phase.kind == PhaseKind::direct) return std::nullopt;
  if (phase.kind == PhaseKind::exchange) {
    if (chunks(segment, position) == 1) return std::nullopt;
    if (phase.flow != Flow::line) ++next.distance;
    return next;
  }
  if (phase.flow == Flow::line && phase.kind != PhaseKind::broadcast) {
    if (!in_direction(phase, segment.direction, position)) return std::nullopt;
    if (phase.kind == PhaseKind::all_gather) return next;
    const auto [first, end] = chunks_of(phase, segment, position + segment.direction);
    return first < end ? std::optional(next) : std::nullopt;
  }
  const bool scatters = phase.kind == PhaseKind::reduce_scatter;
  next.distance += scatters ? -1 : 1;
  bool more = scatters ? segment.distance > 0 : segment.distance < phase.size - 1;
  if (phase.kind == PhaseKind::broadcast) {
    more = phase.flow == Flow::line ? in_direction(phase, segment.direction, position)
                                    : segment.distance < reach(phase, segment.direction);
  }
  return more ? std::optional(next) : std::nullopt;
}

std::int32_t GroupSchedule::next_position(const Segment& segment, std::int32_t position) const {
  return around(position + segment.direction, phase_of(segment).size);
}

bool GroupSchedule::ends_here(const Segment& segment, const noc::Coordinates& at) const {
  const Phase& phase = phase_of(segment);
  if (phase.flow != Flow::line) return segment.distance == 0;
  return at[std::size_t(phase.dimension)] / phase.chunks_per_message == segment.distance;
}

std::int64_t GroupSchedule::completions(int stripe, int phase_index, const noc::Coordinates& at) const {
  const Phase& phase = phases(stripe)[std::size_t(phase_index)];
  const std::int32_t position = at[std::size_t(phase.dimension)];
  if (phase.kind == PhaseKind::direct) {
    const bool receives = kind_ != CollectiveKind::collective_permute || at[1] != 0;
    return receives ? std::int64_t(phase.size - 1) * phase.segments[0] : 0;
  }
  if (phase.kind == PhaseKind::broadcast) return phase.segments[0];
  if (phase.kind == PhaseKind::exchange) {
    const bool line = phase.flow == Flow::line;
    return (line ? position : reach(phase, +1)) * phase.segments[0] +
           (line ? phase.size - 1 - position : reach(phase, -1)) * phase.segments[1];
  }
  // Flows that come in from each side: what travels in positive direction comes from lower positions.
  std::int64_t from_below = 1, from_above = 1;
  if (phase.kind == PhaseKind::all_gather) {
    from_below = from_above = phase.size - 1;
    if (phase.flow == Flow::line) {
      from_below = position > 0 ? (position - 1) / phase.chunks_per_message + 1 : 0;
      from_above = position < phase.size - 1 ? phase.messages() - (position + 1) / phase.chunks_per_message : 0;
    }
  } else if (phase.flow == Flow::line) {
    from_below = position > 0;
    from_above = position < phase.size - 1;
  }
  return from_below * phase.segments[0] + from_above * phase.segments[1];
}

std::pair<std::int32_t, std::int32_t> GroupSchedule::chunks_of(const Phase& phase, const Segment& segment,
                                                               std::int32_t position) {
  std::int32_t first = segment.distance * phase.chunks_per_message;
  std::int32_t end = std::min(phase.size, first + phase.chunks_per_message);
  // Partial sums are on their way to owners ahead, finished chunks come from owners behind.
  const bool from_here_up = (phase.kind == PhaseKind::reduce_scatter) == (segment.direction > 0);
  const std::int32_t edge = phase.kind == PhaseKind::reduce_scatter ? position : position - segment.direction;
  if (from_here_up) {
    first = std::max(first, edge);
  } else {
    end = std::min(end, edge + 1);
  }
  return {first, end};
}

std::int32_t GroupSchedule::origin(const Segment& segment, std::int32_t position) const {
  const Phase& phase = phase_of(segment);
  if (phase.flow == Flow::line) return segment.distance;
  return around(position - segment.direction * segment.distance, phase.size);
}

std::int32_t GroupSchedule::chunks(const Segment& segment, std::int32_t position) const {
  const Phase& phase = phase_of(segment);
  if (phase.flow != Flow::line) return reach(phase, segment.direction) - segment.distance + 1;
  return segment.direction > 0 ? phase.size - position : position + 1;
}

ElementRange GroupSchedule::slice(const Segment& segment, std::int32_t steps) const {
  const Phase& phase = phase_of(segment);
  ElementRange of{0, phase.chunk / phase.parts};
  if (phase.flow != Flow::line && 2 * (segment.distance + steps) == phase.size) {
    const std::int64_t half = of.count / 2;
    of = segment.direction > 0 ? ElementRange{0, of.count - half} : ElementRange{of.count - half, half};
  }
  const ElementRange within = segment_range(of.count, segments(segment), segment.number);
  return {of.begin + within.begin, within.count};
}

std::int64_t GroupSchedule::size(const Segment& segment, std::int32_t position) const {
  const Phase& phase = phase_of(segment);
  if (phase.kind == PhaseKind::exchange) {
    // The last one alone may be half a chunk.
    const std::int32_t last = chunks(segment, position) - 1;
    const std::int64_t before = last > 0 ? last * slice(segment, 0).count : 0;
    return (before + slice(segment, last).count) * phase.parts;
  }
  if (phase.flow == Flow::line && phase.chunks_per_message > 1) {
    const auto [first, end] = chunks_of(phase, segment, position);
    return (end - first) * phase.chunk;
  }
  return segment_range(flow(phase, segment.direction), segments(segment), segment.number).count;
}

std::int64_t GroupSchedule::contributed(const Segment& segment, std::int32_t position) const {
  const Phase& phase = phase_of(segment);
  const std::int64_t all = size(segment, position);
  const bool second = phase.flow == Flow::line && segment.direction < 0 && position > 0 &&
                      position / phase.chunks_per_message == segment.distance;
  if (!second) return all;
  return phase.chunks_per_message > 1 ? all - phase.chunk : 0;
}

ElementRange GroupSchedule::range(const Segment& segment, const noc::Coordinates& at) const {
  const Phase& phase = phase_of(segment);
  const std::int32_t position = at[std::size_t(phase.dimension)];
  const std::int64_t begin = phase_begin(segment.stripe, phase, at);
  const ElementRange within = segment_range(flow(phase, segment.direction), segments(segment), segment.number);
  if (phase.kind == PhaseKind::broadcast) return {begin + within.begin, within.count};
  if (phase.flow == Flow::line) {
    const auto [first, end] = chunks_of(phase, segment, position);
    if (phase.chunks_per_message > 1) return {begin + first * phase.chunk, (end - first) * phase.chunk};
    return {begin + first * phase.chunk + within.begin, within.count};
  }
  const int toward_owner = phase.kind == PhaseKind::reduce_scatter ? segment.direction : -segment.direction;
  const std::int32_t chunk = around(position + toward_owner * segment.distance, phase.size);
  const std::int64_t half = segment.direction < 0 ? flow(phase, +1) : 0;
  return {begin + chunk * phase.chunk + half + within.begin, within.count};
}

ElementRange GroupSchedule::shard_range(int stripe, const noc::Coordinates& at) const {
  std::int64_t begin = part(stripe).begin;
  for (const Split& split : splits_[std::size_t(stripe % orders_)])
    begin += at[std::size_t(split.dimension)] * split.chunk;
  return {begin, shard_};
}

std::int64_t GroupSchedule::phase_begin(int stripe, const Phase& phase, const noc::Coordinates& at) const {
  std::int64_t begin = part(stripe).begin;
  const std::vector<Split>& splits = splits_[std::size_t(stripe % orders_)];
  for (int i = 0; i < phase.depth; ++i)
    begin += at[std::size_t(splits[std::size_t(i)].dimension)] * splits[std::size_t(i)].chunk;
  return begin;
}

}  // namespace podsim::sw::collectives
