// SPDX-License-Identifier: Apache-2.0
#include "hlo/literal_printer.h"

#include <cmath>

#include <fmt/format.h>

namespace podsim::hlo {

namespace {

class Printer {
 public:
  explicit Printer(const Literal& literal) : literal_(literal) {}

  std::string print() {
    append_dimension(0);
    return std::move(out_);
  }

 private:
  void append_dimension(std::size_t level) {
    const std::vector<std::int64_t>& sizes = literal_.shape.dimensions;
    if (level == sizes.size()) return append_element();
    const bool innermost = level + 1 == sizes.size();
    out_ += innermost ? "{" : "{ ";
    for (std::int64_t i = 0; i < sizes[level]; ++i) {
      if (i > 0) out_ += ", ";
      append_dimension(level + 1);
    }
    out_ += innermost ? "}" : " }";
  }

  void append_element() {
    const ElementType type = literal_.shape.element_type;
    const std::size_t i = next_++;
    if (is_wide(type)) {
      const std::int64_t value = literal_.integers[i];
      out_ += type == ElementType::u64 ? std::to_string(std::uint64_t(value)) : std::to_string(value);
    } else if (is_complex(type)) {
      out_ += '(';
      append_number(literal_.values[2 * i]);
      out_ += ", ";
      append_number(literal_.values[2 * i + 1]);
      out_ += ')';
    } else if (type == ElementType::pred && literal_.shape.rank() == 0) {
      out_ += literal_.values[i] != 0 ? "true" : "false";
    } else {
      append_number(literal_.values[i]);
    }
  }

  void append_number(double value) {
    const ElementType type = literal_.shape.element_type;
    if (is_integer(type) || type == ElementType::pred) {
      out_ += std::to_string(std::int64_t(value));
    } else if (std::isnan(value)) {
      out_ += "nan";
    } else if (type == ElementType::f64 || type == ElementType::c128) {
      out_ += fmt::format("{}", value);
    } else {
      out_ += fmt::format("{}", float(value));
    }
  }

  const Literal& literal_;
  std::size_t next_ = 0;
  std::string out_;
};

}  // namespace

std::string to_string(const Literal& literal) {
  if (!literal.shape.is_tuple()) return byte_width(literal.shape.element_type) == 0 ? "" : Printer(literal).print();
  std::string text = "(";
  for (std::size_t i = 0; i < literal.elements.size(); ++i)
    text += (i > 0 ? ", " : "") + to_string(literal.elements[i]);
  return text + ")";
}

}  // namespace podsim::hlo
