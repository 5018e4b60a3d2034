// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace podsim::sw::compiler::layout {

/// Sets of arrays whose dimensions correspond one to one. Arrays are numbered.
class DimensionLinks {
 public:
  /// A permutation: element d is the dimension of another array that corresponds to dimension d. Empty: the same.
  using Correspondence = std::vector<int>;

  explicit DimensionLinks(std::size_t arrays) : parents_(arrays), fixed_(arrays) {
    for (std::size_t i = 0; i < arrays; ++i) parents_[i].array = i;
  }

  /// Gives a set an order of dimensions, minor to major, unless it has one.
  void fix(std::size_t array, const std::vector<int>& order);

  /// Joins two sets: dimension d of `a` is dimension `to_b[d]` of `b`. Returns false and joins nothing if their
  /// dimensions already correspond differently, or if the sets have contradicting orders.
  bool join(std::size_t a, std::size_t b, const Correspondence& to_b);

  /// The array that stands for the set, and its dimensions that correspond to those of `array`.
  struct Representative {
    std::size_t array = 0;
    Correspondence dimensions;
  };
  Representative find(std::size_t array);

  /// The order of the dimensions of a set's representative, if it has one.
  const std::optional<std::vector<int>>& order(std::size_t representative) const { return fixed_[representative]; }

 private:
  std::vector<Representative> parents_;
  std::vector<std::optional<std::vector<int>>> fixed_;  ///< by representative
};

/// The permutation that applies `first`, then `second`.
DimensionLinks::Correspondence composed(const DimensionLinks::Correspondence& first,
                                        const DimensionLinks::Correspondence& second);
DimensionLinks::Correspondence inverse(const DimensionLinks::Correspondence& permutation);
/// The order with each dimension replaced by the one of another array that corresponds to it.
std::vector<int> renamed(const std::vector<int>& order, const DimensionLinks::Correspondence& to);

}  // namespace podsim::sw::compiler::layout
