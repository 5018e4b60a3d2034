// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sw/graph/literal.h"

namespace podsim::sw {

/// A value under evaluation: an array or token, or a tuple of values. Copies share what they hold.
class Value {
 public:
  Value() = default;
  explicit Value(Literal literal);
  static Value tuple(const Shape& shape, std::vector<Value> elements);

  /// The value once more as a literal, tuples with all their elements.
  Literal literal() const;
  /// Of an array.
  const Literal& array() const { return *array_; }
  const Value& element(std::size_t i) const { return elements_->at(i); }
  bool is_tuple() const { return elements_ != nullptr; }

 private:
  std::shared_ptr<const Literal> array_;  ///< of a tuple only its shape
  std::shared_ptr<const std::vector<Value>> elements_;
};

}  // namespace podsim::sw
