// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/reshard_plan.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace podsim::sw {

namespace {

using Kind = ReshardStep::Kind;

bool contains(const SubAxes& sub_axes, SubAxis sub_axis) {
  return std::ranges::find(sub_axes, sub_axis) != sub_axes.end();
}

bool begins_with(const SubAxes& list, const SubAxes& prefix) {
  return list.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), list.begin());
}

bool ends_with(const SubAxes& list, const SubAxes& suffix) {
  return list.size() >= suffix.size() && std::equal(suffix.rbegin(), suffix.rend(), list.rbegin());
}

SubAxes head(const SubAxes& list, std::size_t count) { return {list.begin(), list.begin() + std::ptrdiff_t(count)}; }
SubAxes tail(const SubAxes& list, std::size_t from) { return {list.begin() + std::ptrdiff_t(from), list.end()}; }

SubAxes joined(SubAxes list, const SubAxes& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

template <typename Keep>
SubAxes filtered(const SubAxes& list, Keep keep) {
  SubAxes result;
  std::ranges::copy_if(list, std::back_inserter(result), keep);
  return result;
}

/// Which orders of steps are tried.
struct Order {
  bool slices_early;    ///< also dimensions whose cuts change otherwise too: a permute puts them right
  bool permutes_early;  ///< dimensions cut into as many shards by others, before anything moves between dimensions
};

class Planner {
 public:
  Planner(const Mesh& mesh, const Shape& shape, const AxisSharding& from, const SubAxes& unreduced,
          const AxisSharding& to, Order order)
      : mesh_(mesh), shape_(shape), order_(order), unreduced_(unreduced), now_(from.dimensions), goal_(to.dimensions) {}

  std::vector<ReshardStep> run() && {
    append_parts();
    if (!unreduced_.empty()) {
      SubAxes rest = std::exchange(unreduced_, {});
      std::ranges::sort(rest);
      step(Kind::all_reduce, -1, -1, std::move(rest), now_);
      append_parts();
    }
    if (order_.permutes_early) exchange();
    while (move_between_dimensions()) {
    }
    append_parts();
    arrange();
    gather();
    slice_the_rest();
    return std::move(steps_);
  }

 private:
  int rank() const { return shape_.rank(); }

  /// Whether each of `parts` shards, cut by `more`, is the shards of the dimension cut by both.
  bool nests(int d, const SubAxes& parts, const SubAxes& more) const {
    if (parts.empty() || more.empty()) return true;
    const std::int64_t size = shape_.dimensions[std::size_t(d)], outer = mesh_.size(parts), inner = mesh_.size(more);
    return (size + outer - 1) / outer == inner * ((size + outer * inner - 1) / (outer * inner));
  }

  bool is_used(SubAxis sub_axis) const {
    return std::ranges::any_of(now_, [&](const SubAxes& list) { return contains(list, sub_axis); });
  }

  void step(Kind kind, int dimension, int to, SubAxes sub_axes, DimensionCuts after) {
    steps_.push_back({kind, dimension, to, std::move(sub_axes), std::move(now_), after});
    now_ = std::move(after);
  }

  SubAxes& at(DimensionCuts& cuts, int d) const { return cuts[std::size_t(d)]; }
  const SubAxes& at(const DimensionCuts& cuts, int d) const { return cuts[std::size_t(d)]; }

  /// What comes next in a dimension's goal, as far as it is alike: held by everyone (`combines` false), or left to
  /// combine (true).
  SubAxes next_parts(int d, bool combines) const {
    const SubAxes& now = at(now_, d);
    const SubAxes& goal = at(goal_, d);
    const auto fits = [&](SubAxis s) { return contains(unreduced_, s) == combines && !is_used(s); };
    if (!begins_with(goal, now)) return order_.slices_early ? filtered(goal, fits) : SubAxes{};
    SubAxes next;
    for (std::size_t i = now.size(); i < goal.size() && fits(goal[i]); ++i) next.push_back(goal[i]);
    if (next.empty() && order_.slices_early) return filtered(goal, fits);
    return next;
  }

  /// Cuts what can be cut without another partition's elements, or while addends are combined; slices first.
  void append_parts() {
    while (true) {
      DimensionCuts after = now_;
      for (int d = 0; d < rank(); ++d) {
        const SubAxes next = next_parts(d, false);
        if (nests(d, at(now_, d), next)) at(after, d) = joined(at(now_, d), next);
      }
      if (after != now_) step(Kind::slice, -1, -1, {}, std::move(after));
      if (!scatter()) return;
    }
  }

  bool scatter() {
    for (int d = 0; d < rank() && !unreduced_.empty(); ++d) {
      SubAxes next = next_parts(d, true);
      if (next.empty() || !nests(d, at(now_, d), next)) continue;
      unreduced_ = filtered(unreduced_, [&](SubAxis s) { return !contains(next, s); });
      DimensionCuts after = now_;
      at(after, d) = joined(at(now_, d), next);
      step(Kind::reduce_scatter, d, -1, std::move(next), std::move(after));
      return true;
    }
    return false;
  }

  /// One permute for dimensions that stay cut into as many shards, where only they have the sub-axes they get.
  void exchange() {
    std::vector<bool> changes(std::size_t(rank()), false);
    for (int d = 0; d < rank(); ++d) {
      changes[std::size_t(d)] = at(now_, d) != at(goal_, d) && mesh_.size(at(now_, d)) == mesh_.size(at(goal_, d));
    }
    const auto is_taken = [&](SubAxis s) {
      for (int d = 0; d < rank(); ++d) {
        if (!changes[std::size_t(d)] && contains(at(now_, d), s)) return true;
      }
      return false;
    };
    for (bool settled = false; !settled;) {
      settled = true;
      for (int d = 0; d < rank(); ++d) {
        if (!changes[std::size_t(d)] || std::ranges::none_of(at(goal_, d), is_taken)) continue;
        changes[std::size_t(d)] = settled = false;
      }
    }
    DimensionCuts after = now_;
    for (int d = 0; d < rank(); ++d) {
      if (changes[std::size_t(d)]) at(after, d) = at(goal_, d);
    }
    if (after != now_) step(Kind::permute, -1, -1, {}, std::move(after));
  }

  struct Move {
    int from = 0, to = 0;
    SubAxes sub_axes;
    int permutes = 0;  ///< that it makes necessary
  };

  std::optional<Move> move(int from, int to) const {
    Move move{from, to, {}, 0};
    move.sub_axes = filtered(at(goal_, to), [&](SubAxis s) { return contains(at(now_, from), s); });
    if (move.sub_axes.empty()) return std::nullopt;
    const SubAxes rest = filtered(at(now_, from), [&](SubAxis s) { return !contains(move.sub_axes, s); });
    if (!nests(from, rest, move.sub_axes) || !nests(to, at(now_, to), move.sub_axes)) return std::nullopt;
    move.permutes = int(!ends_with(at(now_, from), move.sub_axes)) +
                    int(!begins_with(at(goal_, to), joined(at(now_, to), move.sub_axes)));
    return move;
  }

  /// One all-to-all, that which needs the fewest permutes.
  bool move_between_dimensions() {
    std::optional<Move> best;
    for (int from = 0; from < rank(); ++from) {
      for (int to = 0; to < rank(); ++to) {
        if (from == to) continue;
        const std::optional<Move> next = move(from, to);
        if (next && (!best || next->permutes < best->permutes)) best = next;
      }
    }
    if (!best) return false;
    const SubAxes rest = filtered(at(now_, best->from), [&](SubAxis s) { return !contains(best->sub_axes, s); });
    DimensionCuts after = now_;
    if (at(now_, best->from) != joined(rest, best->sub_axes)) {
      at(after, best->from) = joined(rest, best->sub_axes);
      step(Kind::permute, -1, -1, {}, after);
    }
    at(after, best->from) = rest;
    at(after, best->to) = joined(at(now_, best->to), best->sub_axes);
    step(Kind::all_to_all, best->from, best->to, std::move(best->sub_axes), std::move(after));
    return true;
  }

  /// Puts what stays before what goes, in the order of the goal.
  void arrange() {
    DimensionCuts after = now_;
    for (int d = 0; d < rank(); ++d) {
      const SubAxes &now = at(now_, d), &goal = at(goal_, d);
      SubAxes kept;
      for (std::size_t i = 0; i < goal.size() && contains(now, goal[i]); ++i) kept.push_back(goal[i]);
      const SubAxes rest = filtered(now, [&](SubAxis s) { return !contains(kept, s); });
      if (nests(d, kept, rest) && nests(d, kept, tail(goal, kept.size()))) at(after, d) = joined(kept, rest);
    }
    if (after != now_) step(Kind::permute, -1, -1, {}, std::move(after));
  }

  /// Gathers what the goal has not, or the whole dimension where shards do not fall on each other.
  void gather() {
    for (int d = 0; d < rank(); ++d) {
      const SubAxes &now = at(now_, d), &goal = at(goal_, d);
      std::size_t kept = 0;
      while (kept < now.size() && kept < goal.size() && now[kept] == goal[kept]) ++kept;
      const SubAxes prefix = head(now, kept);
      if (!nests(d, prefix, tail(now, kept)) || !nests(d, prefix, tail(goal, kept))) kept = 0;
      if (kept == now.size()) continue;
      DimensionCuts after = now_;
      at(after, d) = head(now, kept);
      step(Kind::all_gather, d, -1, tail(now, kept), std::move(after));
    }
  }

  void slice_the_rest() {
    if (now_ != goal_) step(Kind::slice, -1, -1, {}, goal_);
  }

  const Mesh& mesh_;
  const Shape& shape_;
  const Order order_;
  SubAxes unreduced_;
  DimensionCuts now_;
  const DimensionCuts& goal_;
  std::vector<ReshardStep> steps_;
};

}  // namespace

double step_bytes(const Mesh& mesh, const Shape& shape, const ReshardStep& step) {
  const auto shard_bytes = [&](const DimensionCuts& cuts) {
    double bytes = byte_width(shape.element_type);
    for (int d = 0; d < shape.rank(); ++d) {
      const std::int64_t parts = mesh.size(cuts[std::size_t(d)]);
      bytes *= double((shape.dimensions[std::size_t(d)] + parts - 1) / parts);
    }
    return bytes;
  };
  const auto others = double(mesh.size(step.sub_axes) - 1);
  const double share = others / (others + 1);
  switch (step.kind) {
    case Kind::slice:
      return 0;
    case Kind::reduce_scatter:
      return others * shard_bytes(step.after);
    case Kind::all_gather:
      return others * shard_bytes(step.before);
    case Kind::all_reduce:
      return 2 * share * shard_bytes(step.before);
    case Kind::all_to_all: {
      DimensionCuts cut = step.before;
      SubAxes& to = cut[std::size_t(step.to)];
      to.insert(to.end(), step.sub_axes.begin(), step.sub_axes.end());
      return others * shard_bytes(cut);
    }
    case Kind::permute:
      return shard_bytes(step.before);
  }
  return 0;
}

std::vector<ReshardStep> plan_reshard(const Mesh& mesh, const Shape& shape, const AxisSharding& from,
                                      const SubAxes& unreduced, const AxisSharding& to) {
  if (unreduced.empty() && from.dimensions == to.dimensions) return {};
  std::vector<ReshardStep> best;
  double least = 0;
  const auto bytes_of = [&](const std::vector<ReshardStep>& steps) {
    double bytes = 0;
    for (const ReshardStep& step : steps) bytes += step_bytes(mesh, shape, step);
    return bytes;
  };
  for (const Order order : {Order{false, true}, Order{true, true}, Order{false, false}, Order{true, false}}) {
    std::vector<ReshardStep> steps = Planner(mesh, shape, from, unreduced, to, order).run();
    if (steps.size() <= 1) return steps;
    const double bytes = bytes_of(steps);
    if (!best.empty() && (bytes > least || (bytes == least && steps.size() >= best.size()))) continue;
    least = bytes;
    best = std::move(steps);
  }
  return best;
}

}  // namespace podsim::sw
