// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/reshard/reshard_plan.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace podsim::hlo::spmd::reshard {

namespace {

using Kind = ReshardStep::Kind;

bool contains(const mesh::SubAxes& sub_axes, mesh::SubAxis sub_axis) {
  return std::ranges::find(sub_axes, sub_axis) != sub_axes.end();
}

bool begins_with(const mesh::SubAxes& list, const mesh::SubAxes& prefix) {
  return list.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), list.begin());
}

bool ends_with(const mesh::SubAxes& list, const mesh::SubAxes& suffix) {
  return list.size() >= suffix.size() && std::equal(suffix.rbegin(), suffix.rend(), list.rbegin());
}

mesh::SubAxes head(const mesh::SubAxes& list, std::size_t count) {
  return {list.begin(), list.begin() + std::ptrdiff_t(count)};
}
mesh::SubAxes tail(const mesh::SubAxes& list, std::size_t from) {
  return {list.begin() + std::ptrdiff_t(from), list.end()};
}

mesh::SubAxes joined(mesh::SubAxes list, const mesh::SubAxes& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

template <typename Keep>
mesh::SubAxes filtered(const mesh::SubAxes& list, Keep keep) {
  mesh::SubAxes result;
  std::ranges::copy_if(list, std::back_inserter(result), keep);
  return result;
}

/// An order of steps to try.
struct Order {
  bool slices_early;    ///< also slice dimensions whose other sub-axes change; a permute then corrects the order
  bool permutes_early;  ///< permute dimensions that keep their number of shards before any all-to-all
};

class ReshardPlanner {
 public:
  ReshardPlanner(const mesh::Mesh& mesh, const hlo::Shape& shape, const mesh::AxisSharding& from,
                 const mesh::SubAxes& unreduced, const mesh::AxisSharding& to, Order order)
      : mesh_(mesh), shape_(shape), order_(order), unreduced_(unreduced), now_(from.dimensions), goal_(to.dimensions) {}

  std::vector<ReshardStep> run() && {
    append_parts();
    if (!unreduced_.empty()) {
      mesh::SubAxes rest = std::exchange(unreduced_, {});
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

  /// True if splitting each shard over `parts` further over `more` gives the shards of the dimension split over both.
  bool nests(int d, const mesh::SubAxes& parts, const mesh::SubAxes& more) const {
    if (parts.empty() || more.empty()) return true;
    const std::int64_t size = shape_.dimensions[std::size_t(d)], outer = mesh_.size(parts), inner = mesh_.size(more);
    return (size + outer - 1) / outer == inner * ((size + outer * inner - 1) / (outer * inner));
  }

  bool is_used(mesh::SubAxis sub_axis) const {
    return std::ranges::any_of(now_, [&](const mesh::SubAxes& list) { return contains(list, sub_axis); });
  }

  void step(Kind kind, int dimension, int to, mesh::SubAxes sub_axes, DimensionSplit after) {
    steps_.push_back({kind, dimension, to, std::move(sub_axes), std::move(now_), after});
    now_ = std::move(after);
  }

  mesh::SubAxes& at(DimensionSplit& split, int d) const { return split[std::size_t(d)]; }
  const mesh::SubAxes& at(const DimensionSplit& split, int d) const { return split[std::size_t(d)]; }

  /// The next sub-axes of a dimension's goal that are of one kind: along which copies are held (`combines` false), or
  /// along which addends have to be combined (true).
  mesh::SubAxes next_parts(int d, bool combines) const {
    const mesh::SubAxes& now = at(now_, d);
    const mesh::SubAxes& goal = at(goal_, d);
    const auto fits = [&](mesh::SubAxis s) { return contains(unreduced_, s) == combines && !is_used(s); };
    if (!begins_with(goal, now)) return order_.slices_early ? filtered(goal, fits) : mesh::SubAxes{};
    mesh::SubAxes next;
    for (std::size_t i = now.size(); i < goal.size() && fits(goal[i]); ++i) next.push_back(goal[i]);
    if (next.empty() && order_.slices_early) return filtered(goal, fits);
    return next;
  }

  /// Splits dimensions as far as that needs no elements of other partitions, or as addends are combined; slices first.
  void append_parts() {
    while (true) {
      DimensionSplit after = now_;
      for (int d = 0; d < rank(); ++d) {
        const mesh::SubAxes next = next_parts(d, false);
        if (nests(d, at(now_, d), next)) at(after, d) = joined(at(now_, d), next);
      }
      if (after != now_) step(Kind::slice, -1, -1, {}, std::move(after));
      if (!scatter()) return;
    }
  }

  bool scatter() {
    for (int d = 0; d < rank() && !unreduced_.empty(); ++d) {
      mesh::SubAxes next = next_parts(d, true);
      if (next.empty() || !nests(d, at(now_, d), next)) continue;
      unreduced_ = filtered(unreduced_, [&](mesh::SubAxis s) { return !contains(next, s); });
      DimensionSplit after = now_;
      at(after, d) = joined(at(now_, d), next);
      step(Kind::reduce_scatter, d, -1, std::move(next), std::move(after));
      return true;
    }
    return false;
  }

  /// Appends one permute for all dimensions that keep their number of shards, if no other dimension has the sub-axes
  /// that they get.
  void exchange() {
    std::vector<bool> changes(std::size_t(rank()), false);
    for (int d = 0; d < rank(); ++d) {
      changes[std::size_t(d)] = at(now_, d) != at(goal_, d) && mesh_.size(at(now_, d)) == mesh_.size(at(goal_, d));
    }
    const auto is_taken = [&](mesh::SubAxis s) {
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
    DimensionSplit after = now_;
    for (int d = 0; d < rank(); ++d) {
      if (changes[std::size_t(d)]) at(after, d) = at(goal_, d);
    }
    if (after != now_) step(Kind::permute, -1, -1, {}, std::move(after));
  }

  struct Move {
    int from = 0, to = 0;
    mesh::SubAxes sub_axes;
    int permutes = 0;  ///< number of permutes that it makes necessary
  };

  std::optional<Move> move(int from, int to) const {
    Move move{from, to, {}, 0};
    move.sub_axes = filtered(at(goal_, to), [&](mesh::SubAxis s) { return contains(at(now_, from), s); });
    if (move.sub_axes.empty()) return std::nullopt;
    const mesh::SubAxes rest = filtered(at(now_, from), [&](mesh::SubAxis s) { return !contains(move.sub_axes, s); });
    if (!nests(from, rest, move.sub_axes) || !nests(to, at(now_, to), move.sub_axes)) return std::nullopt;
    move.permutes = int(!ends_with(at(now_, from), move.sub_axes)) +
                    int(!begins_with(at(goal_, to), joined(at(now_, to), move.sub_axes)));
    return move;
  }

  /// Appends the all-to-all that needs the fewest permutes. Returns false if there is none.
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
    const mesh::SubAxes rest =
        filtered(at(now_, best->from), [&](mesh::SubAxis s) { return !contains(best->sub_axes, s); });
    DimensionSplit after = now_;
    if (at(now_, best->from) != joined(rest, best->sub_axes)) {
      at(after, best->from) = joined(rest, best->sub_axes);
      step(Kind::permute, -1, -1, {}, after);
    }
    at(after, best->from) = rest;
    at(after, best->to) = joined(at(now_, best->to), best->sub_axes);
    step(Kind::all_to_all, best->from, best->to, std::move(best->sub_axes), std::move(after));
    return true;
  }

  /// Appends a permute that puts the sub-axes that stay, in the order of the goal, before those that will be gathered.
  void arrange() {
    DimensionSplit after = now_;
    for (int d = 0; d < rank(); ++d) {
      const mesh::SubAxes &now = at(now_, d), &goal = at(goal_, d);
      mesh::SubAxes kept;
      for (std::size_t i = 0; i < goal.size() && contains(now, goal[i]); ++i) kept.push_back(goal[i]);
      const mesh::SubAxes rest = filtered(now, [&](mesh::SubAxis s) { return !contains(kept, s); });
      if (nests(d, kept, rest) && nests(d, kept, tail(goal, kept.size()))) at(after, d) = joined(kept, rest);
    }
    if (after != now_) step(Kind::permute, -1, -1, {}, std::move(after));
  }

  /// Gathers the sub-axes that the goal does not have, or the whole dimension if old and new shards do not nest.
  void gather() {
    for (int d = 0; d < rank(); ++d) {
      const mesh::SubAxes &now = at(now_, d), &goal = at(goal_, d);
      std::size_t kept = 0;
      while (kept < now.size() && kept < goal.size() && now[kept] == goal[kept]) ++kept;
      const mesh::SubAxes prefix = head(now, kept);
      if (!nests(d, prefix, tail(now, kept)) || !nests(d, prefix, tail(goal, kept))) kept = 0;
      if (kept == now.size()) continue;
      DimensionSplit after = now_;
      at(after, d) = head(now, kept);
      step(Kind::all_gather, d, -1, tail(now, kept), std::move(after));
    }
  }

  void slice_the_rest() {
    if (now_ != goal_) step(Kind::slice, -1, -1, {}, goal_);
  }

  const mesh::Mesh& mesh_;
  const hlo::Shape& shape_;
  const Order order_;
  mesh::SubAxes unreduced_;
  DimensionSplit now_;
  const DimensionSplit& goal_;
  std::vector<ReshardStep> steps_;
};

}  // namespace

double step_bytes(const mesh::Mesh& mesh, const hlo::Shape& shape, const ReshardStep& step) {
  const auto shard_bytes = [&](const DimensionSplit& split) {
    double bytes = hlo::byte_width(shape.element_type);
    for (int d = 0; d < shape.rank(); ++d) {
      const std::int64_t parts = mesh.size(split[std::size_t(d)]);
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
      DimensionSplit split = step.before;
      mesh::SubAxes& to = split[std::size_t(step.to)];
      to.insert(to.end(), step.sub_axes.begin(), step.sub_axes.end());
      return others * shard_bytes(split);
    }
    case Kind::permute:
      return shard_bytes(step.before);
  }
  return 0;
}

std::vector<ReshardStep> plan_reshard(const mesh::Mesh& mesh, const hlo::Shape& shape, const mesh::AxisSharding& from,
                                      const mesh::SubAxes& unreduced, const mesh::AxisSharding& to) {
  if (unreduced.empty() && from.dimensions == to.dimensions) return {};
  std::vector<ReshardStep> best;
  double least = 0;
  const auto bytes_of = [&](const std::vector<ReshardStep>& steps) {
    double bytes = 0;
    for (const ReshardStep& step : steps) bytes += step_bytes(mesh, shape, step);
    return bytes;
  };
  for (const Order order : {Order{false, true}, Order{true, true}, Order{false, false}, Order{true, false}}) {
    std::vector<ReshardStep> steps = ReshardPlanner(mesh, shape, from, unreduced, to, order).run();
    if (steps.size() <= 1) return steps;
    const double bytes = bytes_of(steps);
    if (!best.empty() && (bytes > least || (bytes == least && steps.size() >= best.size()))) continue;
    least = bytes;
    best = std::move(steps);
  }
  return best;
}

}  // namespace podsim::hlo::spmd::reshard
