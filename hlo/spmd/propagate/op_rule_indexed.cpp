// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/propagate/op_rule_builder.h.
#include <algorithm>

#include "hlo/spmd/propagate/op_rule_builder.h"

/// Rules of slices whose positions are known only at run time: gather, scatter and the dynamic slices.
namespace podsim::hlo::spmd::propagate {

namespace {

using Kind = Factor::Kind;
using Place = OpRuleBuilder::Place;

int find(const std::vector<int>& list, int value) {
  const auto found = std::ranges::find(list, value);
  return found == list.end() ? -1 : int(found - list.begin());
}

/// For each dimension of the indices, the corresponding dimension of the gathered array (or the updates); -1 for the
/// dimension of the index vectors.
std::vector<int> gathered_dimensions(const hlo::GatherDimensions& roles, int indices_rank) {
  std::vector<int> result;
  int next = 0;
  for (int d = 0; d < indices_rank; ++d) {
    while (find(roles.offset, next) >= 0) ++next;
    result.push_back(d == roles.index_vector ? -1 : next++);
  }
  return result;
}

/// For each dimension of the operand, the slice's dimension in the gathered array (or the updates); -1 if it is
/// dropped.
std::vector<int> slice_dimensions(const hlo::GatherDimensions& roles, int operand_rank) {
  std::vector<int> result;
  std::size_t next = 0;
  for (int d = 0; d < operand_rank; ++d) {
    const bool dropped = find(roles.collapsed, d) >= 0 || find(roles.operand_batching, d) >= 0;
    result.push_back(dropped ? -1 : roles.offset[next++]);
  }
  return result;
}

/// Appends dimension `d` of all arrays in [first, limit).
void append(std::vector<Place>& dimensions, bool are_results, int first, int limit, int d) {
  for (int array = first; array < limit; ++array) dimensions.push_back({are_results, array, d});
}

}  // namespace

void gather_rule(OpRuleBuilder& rule) {
  const hlo::GatherDimensions& roles = rule.instruction().gather;
  const hlo::Shape &operand = rule.operand(0), &indices = rule.operand(1);
  const std::vector<int> gathered = gathered_dimensions(roles, indices.rank());
  for (int d = 0; d < indices.rank(); ++d) {
    if (d == roles.index_vector) continue;
    std::vector<Place> dimensions{OpRuleBuilder::in(1, d), OpRuleBuilder::out(0, gathered[std::size_t(d)])};
    const int pair = find(roles.indices_batching, d);
    if (pair >= 0)
      dimensions.insert(dimensions.begin(), OpRuleBuilder::in(0, roles.operand_batching[std::size_t(pair)]));
    rule.join(Kind::parallel, dimensions);
  }
  const std::vector<int> slices = slice_dimensions(roles, operand.rank());
  for (int d = 0; d < operand.rank(); ++d) {
    if (find(roles.operand_batching, d) >= 0) continue;
    const int slice = slices[std::size_t(d)];
    if (slice >= 0 && rule.instruction().slice_sizes[std::size_t(d)] == operand.dimensions[std::size_t(d)]) {
      rule.join(Kind::parallel, {OpRuleBuilder::in(0, d), OpRuleBuilder::out(0, slice)});
    } else if (find(roles.index_map, d) >= 0 && operand.dimensions[std::size_t(d)] != 1) {
      rule.join(Kind::special, {OpRuleBuilder::in(0, d)});
    }
  }
}

void scatter_rule(OpRuleBuilder& rule) {
  const hlo::GatherDimensions& roles = rule.instruction().gather;
  const int count = rule.result_count(), first_update = count + 1, limit = rule.operand_count();
  const hlo::Shape &operand = rule.operand(0), &indices = rule.operand(count), &updates = rule.operand(first_update);
  const bool combines = count == 1 && rule.take_simple_combiner();
  const std::vector<int> scattered = gathered_dimensions(roles, indices.rank());
  for (int d = 0; d < indices.rank(); ++d) {
    const int pair = find(roles.indices_batching, d);
    if (d == roles.index_vector || (pair < 0 && !combines)) continue;
    std::vector<Place> dimensions;
    if (pair >= 0) append(dimensions, false, 0, count, roles.operand_batching[std::size_t(pair)]);
    dimensions.push_back(OpRuleBuilder::in(count, d));
    append(dimensions, false, first_update, limit, scattered[std::size_t(d)]);
    if (pair >= 0) append(dimensions, true, 0, count, roles.operand_batching[std::size_t(pair)]);
    rule.join(pair >= 0 ? Kind::parallel : Kind::reduction, dimensions);
  }
  const std::vector<int> slices = slice_dimensions(roles, operand.rank());
  for (int d = 0; d < operand.rank(); ++d) {
    if (find(roles.operand_batching, d) >= 0) continue;
    const int slice = slices[std::size_t(d)];
    const std::int64_t size = operand.dimensions[std::size_t(d)];
    const bool is_full = slice >= 0 && updates.dimensions[std::size_t(slice)] == size;
    if (!is_full && (size == 1 || find(roles.index_map, d) < 0)) continue;
    std::vector<Place> dimensions;
    append(dimensions, false, 0, count, d);
    if (is_full) append(dimensions, false, first_update, limit, slice);
    append(dimensions, true, 0, count, d);
    rule.join(is_full ? Kind::parallel : Kind::special, dimensions);
  }
}

void dynamic_slice_rule(OpRuleBuilder& rule) {
  const hlo::Shape &operand = rule.operand(0), &result = rule.result(0);
  for (int d = 0; d < operand.rank(); ++d) {
    if (operand.dimensions[std::size_t(d)] == result.dimensions[std::size_t(d)]) {
      rule.join(Kind::parallel, {OpRuleBuilder::in(0, d), OpRuleBuilder::out(0, d)});
    } else {
      rule.join(Kind::special, {OpRuleBuilder::in(0, d)});
    }
  }
}

void dynamic_update_slice_rule(OpRuleBuilder& rule) {
  const hlo::Shape &operand = rule.operand(0), &update = rule.operand(1);
  for (int d = 0; d < operand.rank(); ++d) {
    if (operand.dimensions[std::size_t(d)] == update.dimensions[std::size_t(d)]) {
      rule.join(Kind::parallel, {OpRuleBuilder::in(0, d), OpRuleBuilder::in(1, d), OpRuleBuilder::out(0, d)});
    } else {
      rule.join(Kind::special, {OpRuleBuilder::in(0, d), OpRuleBuilder::out(0, d)});
    }
  }
}

}  // namespace podsim::hlo::spmd::propagate
