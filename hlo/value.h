// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hlo/literal.h"

namespace podsim::hlo {

/// A value during evaluation: an array, a token, or a tuple of values. Copies share their contents.
class Value {
 public:
  Value() = default;
  explicit Value(Literal literal);
  static Value tuple(const Shape& shape, std::vector<Value> elements);

  /// Returns the value as one literal, with all elements of tuples.
  Literal literal() const;
  /// Requires that the value is not a tuple.
  const Literal& array() const { return *array_; }
  const Value& element(std::size_t i) const { return elements_->at(i); }
  bool is_tuple() const { return elements_ != nullptr; }

  /// Bytes of the numbers of all arrays that values hold now.
  static std::int64_t bytes_held();
  /// Bytes of the numbers of an array or tuple.
  static double bytes_of(const Shape& shape);

 private:
  std::shared_ptr<const Literal> array_;  ///< of a tuple: only its shape
  std::shared_ptr<const std::vector<Value>> elements_;
};

}  // namespace podsim::hlo
