// SPDX-License-Identifier: Apache-2.0
#include "report/compare/op_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace podsim::report::compare {
namespace {

std::int64_t magnitude(base::Time time) { return std::abs(time.value()); }

/// "%fusion.7" of "%fusion.7 = f32[8] fusion(...)".
std::string instruction_name(const std::string& hlo_text) { return hlo_text.substr(0, hlo_text.find_first_of(" =")); }

/// The ops of one name on one side, by category.
using Categories = std::map<std::string, std::vector<const TimedOp*>>;

/// The ops of one name on both sides.
struct NamedOps {
  run::OpScope scope;
  std::array<Categories, 2> sides;
};

void add(OpGroup& group, const TimedOp& op) {
  ++group.ops;
  group.executions += op.executions;
  group.time += op.time;
  group.flops += op.flops;
  group.bytes += op.bytes;
}

std::optional<OpGroup> group_of(const Categories& categories) {
  if (categories.empty()) return std::nullopt;
  OpGroup group;
  const TimedOp* longest = nullptr;
  for (const auto& [category, ops] : categories) {
    group.categories.push_back(category);
    for (const TimedOp* op : ops) {
      add(group, *op);
      if (longest == nullptr || op->time > longest->time) longest = op;
    }
  }
  group.bound = longest->bound;
  return group;
}

OpDifference row(const std::string& name, const NamedOps& ops, OpDifference::Match match,
                 const std::array<Categories, 2>& sides) {
  return {name, ops.scope, match, group_of(sides[0]), group_of(sides[1])};
}

bool is_communication(const std::string& category) {
  constexpr std::array names{"all-gather",         "all-reduce",     "all-to-all", "collective-broadcast",
                             "collective-permute", "reduce-scatter", "send",       "recv"};
  return std::ranges::any_of(names, [&](const char* name) { return category.starts_with(name); });
}

/// Removes the ops that move data between cores and returns them: they do not belong to the compute ops of that name.
NamedOps take_communication(NamedOps& ops) {
  NamedOps taken{ops.scope, {}};
  for (std::size_t side = 0; side < 2; ++side) {
    std::erase_if(ops.sides[side], [&](const auto& category) {
      if (!is_communication(category.first)) return false;
      taken.sides[side].insert(category);
      return true;
    });
  }
  return taken;
}

void add_row_per_category(const std::string& name, const NamedOps& ops, std::vector<OpDifference>& rows) {
  std::map<std::string, std::array<Categories, 2>> categories;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const auto& category : ops.sides[side]) categories[category.first][side].insert(category);
  }
  using enum OpDifference::Match;
  for (const auto& [category, sides] : categories) {
    rows.push_back(row(name, ops, sides[1].empty() ? only_a : sides[0].empty() ? only_b : same, sides));
  }
}

/// Adds a row for each category of a name's compute ops if both sides have the same categories or one side has none;
/// otherwise, for instance if only one side fuses them, a single row for all. Communication has its own rows.
void add_rows(const std::string& name, NamedOps ops, std::vector<OpDifference>& rows) {
  add_row_per_category(name, take_communication(ops), rows);
  const auto& [a, b] = ops.sides;
  const bool same = std::ranges::equal(a, b, {}, &Categories::value_type::first, &Categories::value_type::first);
  if (same || a.empty() || b.empty()) {
    add_row_per_category(name, ops, rows);
  } else {
    rows.push_back(row(name, ops, OpDifference::Match::other_category, ops.sides));
  }
}

}  // namespace

std::string category_names(const OpGroup& group) { return fmt::format("{}", fmt::join(group.categories, " + ")); }

std::string to_string(OpDifference::Match match) {
  switch (match) {
    case OpDifference::Match::same:
      return "same";
    case OpDifference::Match::other_category:
      return "other category";
    case OpDifference::Match::only_a:
      return "only in A";
    case OpDifference::Match::only_b:
      break;
  }
  return "only in B";
}

std::vector<TimedOp> timed_ops(const run::RunFolder& run, std::size_t depth) {
  std::vector<TimedOp> ops;
  for (const validation::profile::ProfileOp& op : run.ops) {
    const std::int64_t executions = run.executions(op);
    ops.push_back({.name = op.tf_op.empty() ? instruction_name(op.hlo_text) : op.tf_op,
                   .category = op.category,
                   .bound = op.bound_by,
                   .scope = run::op_scope(op.tf_op, depth),
                   .executions = executions,
                   .time = run.time_per_step(op),
                   .flops = op.flops.value_or(0) * double(executions),
                   .bytes = op.bytes.value_or(0) * double(executions)});
  }
  return ops;
}

std::vector<OpDifference> compare_ops(const std::vector<TimedOp>& a, const std::vector<TimedOp>& b) {
  std::map<std::string, NamedOps> names;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const TimedOp& op : side == 0 ? a : b) {
      NamedOps& named = names.try_emplace(op.name, NamedOps{op.scope, {}}).first->second;
      named.sides[side][op.category].push_back(&op);
    }
  }
  std::vector<OpDifference> rows;
  for (const auto& [name, ops] : names) add_rows(name, ops, rows);
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const OpDifference& difference) { return magnitude(difference.difference()); });
  return rows;
}

std::vector<TimeDifference> compare_by(const std::vector<TimedOp>& a, const std::vector<TimedOp>& b,
                                       const std::function<std::string(const TimedOp&)>& key) {
  std::map<std::string, TimeDifference> groups;
  const auto group = [&](const TimedOp& op) -> TimeDifference& {
    const std::string name = key(op);
    return groups.try_emplace(name, TimeDifference{name}).first->second;
  };
  for (const TimedOp& op : a) {
    group(op).ops_a += 1;
    group(op).a += op.time;
  }
  for (const TimedOp& op : b) {
    group(op).ops_b += 1;
    group(op).b += op.time;
  }
  std::vector<TimeDifference> order;
  for (auto& [name, times] : groups) order.push_back(std::move(times));
  std::ranges::stable_sort(order, std::ranges::greater{}, [](const TimeDifference& times) {
    return std::pair(magnitude(times.difference()), std::max(times.a, times.b));
  });
  return order;
}

}  // namespace podsim::report::compare
