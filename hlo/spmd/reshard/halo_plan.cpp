// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/reshard/halo_plan.h"

#include <algorithm>
#include <map>

namespace podsim::hlo::spmd::reshard {

namespace {

/// With more transfers than these, one all-gather is taken to be faster.
constexpr std::size_t max_transfers = 8;

struct Range {
  std::int64_t first = 0, limit = 0;
};

/// The elements of shard `source` that the window at position `target` reaches into, as indices in the shard.
struct Need {
  std::int64_t target = 0, source = 0;
  Range range;
};

class HaloPlanner {
 public:
  HaloPlanner(std::int64_t size, std::int64_t shards, const ShardWindow& window)
      : shards_(shards), shard_((size + shards - 1) / shards) {
    for (std::int64_t i = 0; i < shards; ++i) {
      const std::int64_t start = window.starts[std::size_t(i)];
      const Range whole{std::max<std::int64_t>(start, 0), std::min(start + window.size, size)};
      is_wide_ = is_wide_ || whole.limit - whole.first > (std::int64_t(max_transfers) + 1) * shard_;
      if (is_wide_) return;
      for (std::int64_t at = whole.first; at < whole.limit;) {
        const std::int64_t source = at / shard_, limit = std::min(whole.limit, (source + 1) * shard_);
        needs_.push_back({i, source, {at - source * shard_, limit - source * shard_}});
        at = limit;
      }
    }
  }

  /// True if some window spans more shards than there may be transfers.
  bool is_wide() const { return is_wide_; }

  /// The plan by distances. All positions receive the hull of the elements that any window needs, relative to its
  /// shard; the hull is divided at the borders of shards.
  HaloPlan neighbours() const {
    HaloPlan plan;
    plan.kind = HaloPlan::Kind::neighbours;
    if (needs_.empty()) return plan;
    Range hull = relative(needs_.front());
    for (const Need& need : needs_) {
      const Range range = relative(need);
      hull = {std::min(hull.first, range.first), std::max(hull.limit, range.limit)};
    }
    const std::int64_t lowest = floor_divide(hull.first), highest = floor_divide(hull.limit - 1);
    if (std::size_t(highest - lowest) > max_transfers) return {};
    for (std::int64_t distance = lowest; distance <= highest; ++distance) {
      const std::int64_t first = std::max<std::int64_t>(hull.first - distance * shard_, 0);
      const std::int64_t limit = std::min(hull.limit - distance * shard_, shard_);
      HaloTransfer transfer = empty_transfer(limit - first);
      for (const Need& need : needs_) {
        if (need.source - need.target == distance) transfer.sources[std::size_t(need.target)] = need.source;
      }
      std::ranges::fill(transfer.sent_from, first);
      plan.transfers.push_back(std::move(transfer));
      plan.distances.push_back(distance);
    }
    plan.elements = received(plan);
    return plan;
  }

  /// The plan by rounds. Round (r, q) serves windows with the r-th shard that they reach into, if the window is the
  /// q-th that needs that shard.
  HaloPlan rounds() const {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const Need*>> by_round;
    std::vector<std::int64_t> reached(std::size_t(shards_), 0), serving(std::size_t(shards_), 0);
    for (const Need& need : needs_) {
      if (need.source == need.target) continue;
      by_round[{reached[std::size_t(need.target)]++, serving[std::size_t(need.source)]++}].push_back(&need);
      if (by_round.size() > max_transfers) return {};
    }
    HaloPlan plan;
    plan.kind = HaloPlan::Kind::rounds;
    for (const auto& [round, needs] : by_round) {
      std::int64_t longest = 0;
      for (const Need* need : needs) longest = std::max(longest, need->range.limit - need->range.first);
      HaloTransfer transfer = empty_transfer(longest);
      for (const Need* need : needs) {
        transfer.sources[std::size_t(need->target)] = need->source;
        transfer.sent_from[std::size_t(need->source)] = std::min(need->range.first, shard_ - longest);
      }
      plan.transfers.push_back(std::move(transfer));
    }
    plan.elements = received(plan);
    return plan;
  }

  HaloPlan gather() const {
    HaloPlan plan;
    plan.elements = (shards_ - 1) * shard_;
    return plan;
  }

 private:
  /// The range relative to the first element of the target's own shard.
  Range relative(const Need& need) const {
    const std::int64_t base = (need.source - need.target) * shard_;
    return {base + need.range.first, base + need.range.limit};
  }

  std::int64_t floor_divide(std::int64_t value) const {
    return value >= 0 ? value / shard_ : -((-value + shard_ - 1) / shard_);
  }

  HaloTransfer empty_transfer(std::int64_t size) const {
    return {size, std::vector<std::int64_t>(std::size_t(shards_), -1),
            std::vector<std::int64_t>(std::size_t(shards_), 0)};
  }

  std::int64_t received(const HaloPlan& plan) const {
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < shards_; ++i) {
      std::int64_t elements = 0;
      for (const HaloTransfer& transfer : plan.transfers) {
        const std::int64_t source = transfer.sources[std::size_t(i)];
        if (source >= 0 && source != i) elements += transfer.size;
      }
      most = std::max(most, elements);
    }
    return most;
  }

  std::int64_t shards_, shard_;
  bool is_wide_ = false;
  std::vector<Need> needs_;
};

/// The number of transfers without the one of distance 0, which needs no collective.
std::ptrdiff_t collectives(const HaloPlan& plan) {
  return std::ptrdiff_t(plan.transfers.size()) - std::ranges::count(plan.distances, 0);
}

}  // namespace

ShardWindow ShardWindow::linear(std::int64_t shards, std::int64_t first, std::int64_t step, std::int64_t size) {
  ShardWindow window{{}, size};
  for (std::int64_t i = 0; i < shards; ++i) window.starts.push_back(first + i * step);
  return window;
}

HaloPlan plan_halo(std::int64_t size, std::int64_t shards, const ShardWindow& window) {
  const HaloPlanner planner(size, shards, window);
  HaloPlan best = planner.gather();
  if (planner.is_wide()) return best;
  for (HaloPlan plan : {planner.neighbours(), planner.rounds()}) {
    if (plan.kind == HaloPlan::Kind::gather || plan.elements > best.elements) continue;
    // Concatenated halos take one pass over the window; writing pieces into a buffer takes more, and has to save
    // enough.
    const bool is_shorter = 2 * collectives(plan) < collectives(best);
    if (plan.elements < best.elements || is_shorter) best = std::move(plan);
  }
  return best;
}

std::int64_t halo_elements(std::int64_t size, std::int64_t shards, const ShardWindow& window) {
  return plan_halo(size, shards, window).elements;
}

}  // namespace podsim::hlo::spmd::reshard
