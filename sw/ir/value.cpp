// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/value.h"

#include <utility>

namespace podsim::sw::ir {

Value::Value(Literal literal) {
  if (literal.shape.is_tuple()) {
    std::vector<Value> elements;
    for (Literal& element : literal.elements) elements.emplace_back(std::move(element));
    *this = tuple(literal.shape, std::move(elements));
  } else {
    array_ = std::make_shared<const Literal>(std::move(literal));
  }
}

Value Value::tuple(const Shape& shape, std::vector<Value> elements) {
  Value value;
  value.array_ = std::make_shared<const Literal>(Literal{shape, {}, {}});
  value.elements_ = std::make_shared<const std::vector<Value>>(std::move(elements));
  return value;
}

Literal Value::literal() const {
  Literal literal = *array_;
  if (elements_ == nullptr) return literal;
  for (const Value& element : *elements_) literal.elements.push_back(element.literal());
  for (std::size_t i = 0; i < literal.elements.size(); ++i) {  // dynamic dimensions have the sizes in use
    Shape& written = literal.shape.tuple_shapes[i];
    if (!written.compatible(literal.elements[i].shape)) written = literal.elements[i].shape;
  }
  return literal;
}

}  // namespace podsim::sw::ir
