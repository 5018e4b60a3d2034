// SPDX-License-Identifier: Apache-2.0
// Operators that are others where the environment variable PODSIM_PLANT has their number; what tests/planting/plant
// writes into sources. `a + sum(n) + b` is a + b, or a - b where fault n is on; likewise products, orders, equalities.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace plant {

inline bool is_on(int number) {
  static const int planted = [] {
    const char* text = std::getenv("PODSIM_PLANT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return planted == number;
}

enum class Kind { sum, product, order, equality };

template <Kind>
struct Operator {
  bool is_on = false;
};

inline Operator<Kind::sum> sum(int number) { return {is_on(number)}; }
inline Operator<Kind::product> product(int number) { return {is_on(number)}; }
inline Operator<Kind::order> order(int number) { return {is_on(number)}; }
inline Operator<Kind::equality> equality(int number) { return {is_on(number)}; }

// A left operand and its operator.
template <class Left, class Apply>
struct Half {
  const Left& left;
  bool is_on;
};

#define PODSIM_PLANTED(KIND, NAME, OPERATOR, OTHER)                                                           \
  struct NAME {};                                                                                             \
  template <class Left>                                                                                       \
  Half<Left, NAME> operator OPERATOR(const Left& left, Operator<Kind::KIND> planted) {                        \
    return {left, planted.is_on};                                                                             \
  }                                                                                                           \
  template <class Left, class Right>                                                                          \
  auto operator OPERATOR(const Half<Left, NAME>& half, const Right& right) {                                  \
    return half.is_on ? decltype(half.left OPERATOR right)(half.left OTHER right) : half.left OPERATOR right; \
  }

PODSIM_PLANTED(sum, Plus, +, -)
PODSIM_PLANTED(sum, Minus, -, +)
PODSIM_PLANTED(product, Times, *, /)
PODSIM_PLANTED(order, Less, <, <=)
PODSIM_PLANTED(order, LessEqual, <=, <)
PODSIM_PLANTED(order, Greater, >, >=)
PODSIM_PLANTED(order, GreaterEqual, >=, >)
PODSIM_PLANTED(equality, Equal, ==, !=)
PODSIM_PLANTED(equality, Unequal, !=, ==)
PODSIM_PLANTED(product, Divided, /, *)

#undef PODSIM_PLANTED

template <class... Values>
auto min_of(int number, Values&&... values) {
  return is_on(number) ? std::max(std::forward<Values>(values)...) : std::min(std::forward<Values>(values)...);
}

template <class... Values>
auto max_of(int number, Values&&... values) {
  return is_on(number) ? std::min(std::forward<Values>(values)...) : std::max(std::forward<Values>(values)...);
}

}  // namespace plant
