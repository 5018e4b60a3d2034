// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout/dimension_links.h"

#include <algorithm>
#include <utility>

namespace podsim::sw::compiler::layout {

namespace {

bool keeps_all(const DimensionLinks::Correspondence& permutation) {
  return std::ranges::is_sorted(permutation);  // a permutation of 0, 1, ...
}

}  // namespace

DimensionLinks::Correspondence composed(const DimensionLinks::Correspondence& first,
                                        const DimensionLinks::Correspondence& second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  return renamed(first, second);
}

DimensionLinks::Correspondence inverse(const DimensionLinks::Correspondence& permutation) {
  DimensionLinks::Correspondence result(permutation.size());
  for (std::size_t d = 0; d < permutation.size(); ++d) result[std::size_t(permutation[d])] = int(d);
  return result;
}

std::vector<int> renamed(const std::vector<int>& order, const DimensionLinks::Correspondence& to) {
  if (to.empty()) return order;
  std::vector<int> result;
  result.reserve(order.size());
  for (const int dimension : order) result.push_back(to[std::size_t(dimension)]);
  return result;
}

void DimensionLinks::fix(std::size_t array, const std::vector<int>& order) {
  const Representative of = find(array);
  if (!fixed_[of.array]) fixed_[of.array] = renamed(order, of.dimensions);
}

bool DimensionLinks::join(std::size_t a, std::size_t b, const Correspondence& to_b) {
  const Representative of_a = find(a), of_b = find(b);
  const Correspondence across = composed(composed(inverse(of_a.dimensions), to_b), of_b.dimensions);
  if (of_a.array == of_b.array) return keeps_all(across);
  std::optional<std::vector<int>>& order = fixed_[of_b.array];
  if (fixed_[of_a.array]) {
    std::vector<int> demanded = renamed(*fixed_[of_a.array], across);
    if (order && *order != demanded) return false;
    order = std::move(demanded);
  }
  parents_[of_a.array] = {of_b.array, across};
  return true;
}

DimensionLinks::Representative DimensionLinks::find(std::size_t array) {
  std::vector<std::size_t> path;
  std::size_t top = array;
  while (parents_[top].array != top) {
    path.push_back(top);
    top = parents_[top].array;
  }
  Correspondence to_top;
  std::ranges::reverse(path);
  for (const std::size_t at : path) {
    to_top = composed(parents_[at].dimensions, to_top);
    parents_[at] = {top, to_top};
  }
  return {top, to_top};
}

}  // namespace podsim::sw::compiler::layout
