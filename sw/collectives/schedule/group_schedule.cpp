// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/group_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/units.h"

namespace podsim::sw::collectives::schedule {
namespace {

/// Two stripes of an all-to-all take opposite directions where a destination is halfway around a ring.
int direct_stripes(CollectiveKind kind, const std::vector<LogicalDimension>& dimensions) {
  auto opposite = [](const LogicalDimension& along) { return along.closed && along.size % 2 == 0; };
  return traits(kind).personal && std::ranges::any_of(dimensions, opposite) ? 2 : 1;
}

}  // namespace

GroupSchedule::GroupSchedule(const GroupLayout& layout, CollectiveKind kind, Algorithm algorithm, std::int64_t elements,
                             const SegmentLengths& lengths)
    : kind_(kind),
      cores_(layout.cores),
      dimensions_(layout.dimensions),
      ranks_(std::int32_t(layout.members.size())),
      box_(layout.box),
      exchanges_(traits(kind).personal && goes_by_dimension(algorithm)),
      per_chip_(!traits(kind).personal && !traits(kind).pairwise) {
  assert(elements >= 1 && lengths.link >= 1 && lengths.most >= 1);
  const bool direct = !per_chip_ && !exchanges_;
  const int dimensions = int(dimensions_.size());
  orders_ = direct ? 1 : collectives::orders(algorithm, dimensions);
  if (direct) {
    stripes_ = direct_stripes(kind, dimensions_);
  } else if (exchanges_ || concurrent()) {
    stripes_ = orders_;
  } else if (traits(kind).passes < 2 || uses_all_cores(algorithm)) {
    stripes_ = std::lcm(cores_, orders_);
  }
  // Shards of a stripe: one for each owner.
  const std::int64_t shards = concurrent() || traits(kind).pairwise ? 1 : per_chip_ ? layout.positions() : ranks_;
  shard_ = base::divide_round_up(elements, shards * stripes_);
  part_ = shard_ * shards;
  const int separate = direct ? 1 : separate_orders(algorithm, dimensions);
  const patterns::PatternFactory factory(algorithm, lengths, std::max(1, stripes_ / separate));
  splits_.resize(std::size_t(orders_));
  phases_.resize(std::size_t(orders_));
  exchange_phases_.resize(std::size_t(orders_));
  const auto add = direct         ? &GroupSchedule::add_direct
                   : concurrent() ? &GroupSchedule::add_broadcasts
                   : exchanges_   ? &GroupSchedule::add_exchanges
                                  : &GroupSchedule::add_scattered;
  for (int order = 0; order < orders_; ++order)
    (this->*add)(order, dimension_order(algorithm, order, dimensions), factory);
}

void GroupSchedule::add_phase(int order, int dimension, int depth, std::shared_ptr<const patterns::Pattern> pattern) {
  std::string name = fmt::format("{} {}", pattern->name(), to_string(dimensions_[std::size_t(dimension)]));
  phases_[std::size_t(order)].push_back({std::move(name), dimension, depth, std::move(pattern)});
}

void GroupSchedule::add_direct(int, const std::vector<int>&, const patterns::PatternFactory& factory) {
  if (ranks_ == 1) return;
  auto pattern = traits(kind_).personal ? factory.direct(dimensions_, cores_, shard_) : factory.permute(shard_);
  std::string name(pattern->name());
  phases_[0].push_back({std::move(name), 0, 0, std::move(pattern)});
}

void GroupSchedule::add_broadcasts(int order, const std::vector<int>& visited,
                                   const patterns::PatternFactory& factory) {
  for (int d : visited) add_phase(order, d, 0, factory.broadcast(dimensions_[std::size_t(d)], part_));
}

void GroupSchedule::add_exchanges(int order, const std::vector<int>& visited, const patterns::PatternFactory& factory) {
  for (int d : visited) {
    const LogicalDimension& along = dimensions_[std::size_t(d)];
    auto pattern = factory.exchange(along, part_ / along.size, d == visited.back() ? cores_ : 1);
    exchange_phases_[std::size_t(order)].push_back(pattern.get());
    add_phase(order, d, 0, std::move(pattern));
  }
}

void GroupSchedule::add_scattered(int order, const std::vector<int>& visited, const patterns::PatternFactory& factory) {
  std::vector<Split>& splits = splits_[std::size_t(order)];
  std::int64_t chunk = part_;
  for (int d : visited) splits.push_back({d, chunk /= dimensions_[std::size_t(d)].size});
  for (std::size_t depth = 0; traits(kind_).reduces && depth < splits.size(); ++depth) {
    const auto [d, elements] = splits[depth];
    add_phase(order, d, int(depth), factory.reduce_scatter(dimensions_[std::size_t(d)], elements));
  }
  for (std::size_t depth = splits.size(); !traits(kind_).result_is_block && depth-- > 0;) {
    const auto [d, elements] = splits[depth];
    add_phase(order, d, int(depth), factory.all_gather(dimensions_[std::size_t(d)], elements));
  }
}

std::string GroupSchedule::shapes() const {
  std::string text;
  for (const Phase& phase : phases(0)) {
    if (!phase.pattern->to_neighbours()) return std::string(phase.pattern->shape());
    if (phase.pattern->reduces() != phases(0)[0].pattern->reduces()) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(dimensions_[std::size_t(phase.dimension)]),
                        phase.pattern->shape());
  }
  return text;
}

std::int64_t GroupSchedule::begin(int stripe, std::size_t depth, const noc::Coordinates& at) const {
  const std::vector<Split>& splits = splits_[std::size_t(stripe % orders_)];
  std::int64_t begin = part(stripe).begin;
  for (std::size_t i = 0; i < depth; ++i) begin += at[std::size_t(splits[i].dimension)] * splits[i].chunk;
  return begin;
}

ElementRange GroupSchedule::shard_range(int stripe, const noc::Coordinates& at) const {
  return {begin(stripe, splits_[std::size_t(stripe % orders_)].size(), at), shard_};
}

ElementRange GroupSchedule::range(const Segment& segment, const noc::Coordinates& at) const {
  const Phase& phase = phase_of(segment);
  const auto [first, count] = phase.pattern->range(segment, at[std::size_t(phase.dimension)]);
  return {begin(segment.stripe, std::size_t(phase.depth), at) + first, count};
}

}  // namespace podsim::sw::collectives::schedule
