// SPDX-License-Identifier: Apache-2.0
#include "hlo/value.h"

#include <atomic>
#include <utility>

namespace podsim::hlo {

namespace {

std::atomic<std::int64_t> held{0};

/// The array, which counts as held as long as a value shares it.
std::shared_ptr<const Literal> counted(Literal literal) {
  const auto bytes =
      std::int64_t(literal.values.size() * sizeof(double) + literal.integers.size() * sizeof(std::int64_t));
  held += bytes;
  return {new Literal(std::move(literal)), [bytes](const Literal* array) {
            held -= bytes;
            delete array;
          }};
}

}  // namespace

std::int64_t Value::bytes_held() { return held; }

double Value::bytes_of(const Shape& shape) {
  if (shape.is_tuple()) {
    double bytes = 0;
    for (const Shape& element : shape.tuple_shapes) bytes += bytes_of(element);
    return bytes;
  }
  double elements = 1;  // a product of sizes may exceed an integer
  for (const std::int64_t size : shape.dimensions) elements *= double(size);
  return elements * double(sizeof(double)) * (is_complex(shape.element_type) ? 2 : 1);
}

Value::Value(Literal literal) {
  if (literal.shape.is_tuple()) {
    std::vector<Value> elements;
    for (Literal& element : literal.elements) elements.emplace_back(std::move(element));
    *this = tuple(literal.shape, std::move(elements));
  } else {
    array_ = counted(std::move(literal));
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

}  // namespace podsim::hlo
