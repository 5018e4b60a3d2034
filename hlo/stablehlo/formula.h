// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "hlo/stablehlo/operation_table.h"

namespace podsim::hlo::stablehlo {

/// Functions of CHLO that HLO has no opcode for are written out as XLA does: formulas on arrays of one floating-point
/// type. Values are names of instructions.
class Formula {
 public:
  Formula(OperationWriter& writer, Type type) : writer_(writer), type_(std::move(type)) {}

  bool is_double() const { return type_.element == "f64"; }
  std::string number(double value) {
    if (std::isnan(value)) return writer_.filled(type_, "nan");
    return writer_.filled(type_, std::isinf(value) ? "inf" : fmt::format("{}", value));
  }
  std::string apply(std::string_view opcode, std::initializer_list<std::string> operands) {
    return writer_.add(type_, opcode, operands);
  }
  std::string add(const std::string& a, const std::string& b) { return apply("add", {a, b}); }
  std::string subtract(const std::string& a, const std::string& b) { return apply("subtract", {a, b}); }
  std::string multiply(const std::string& a, const std::string& b) { return apply("multiply", {a, b}); }
  std::string divide(const std::string& a, const std::string& b) { return apply("divide", {a, b}); }
  std::string less(const std::string& a, const std::string& b) { return compare(a, b, "LT"); }
  std::string compare(const std::string& a, const std::string& b, std::string_view direction) {
    const Type predicate = writer_.array_type("pred", type_.dimensions);
    return writer_.add(predicate, "compare", {a, b}, fmt::format(", direction={}", direction));
  }
  std::string is_whole(const std::string& x) { return compare(x, apply("floor", {x}), "EQ"); }
  std::string both(const std::string& a, const std::string& b) {
    return writer_.add(writer_.array_type("pred", type_.dimensions), "and", {a, b});
  }
  std::string choose(const std::string& condition, const std::string& yes, const std::string& no) {
    return apply("select", {condition, yes, no});
  }
  /// Horner's rule, the highest power first.
  std::string polynomial(const std::string& x, std::span<const double> coefficients) {
    std::string sum = number(coefficients[0]);
    for (const double coefficient : coefficients.subspan(1)) sum = add(multiply(sum, x), number(coefficient));
    return sum;
  }

 private:
  OperationWriter& writer_;
  Type type_;
};

/// Applies a formula of one or two arrays to the operands as f32, or as f64, and rounds its result to their type.
template <class... Arrays>
void write_formula(OperationWriter& writer, std::string (*formula)(Formula&, const Arrays&...)) {
  const Type own = writer.operand_type(0);
  const Type wide = own.element == "f64" ? own : writer.array_type("f32", own.dimensions);
  Formula arithmetic(writer, wide);
  const bool same = own.element == wide.element;
  const auto operand = [&](std::size_t i) {
    return same ? writer.operand(i) : writer.add(wide, "convert", {writer.operand(i)});
  };
  std::string y;
  if constexpr (sizeof...(Arrays) == 1) {
    y = formula(arithmetic, operand(0));
  } else {
    y = formula(arithmetic, operand(0), operand(1));
  }
  writer.define({same ? y : writer.add(own, "convert", {y})});
}

}  // namespace podsim::hlo::stablehlo
