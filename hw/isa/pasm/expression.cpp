// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/expression.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace podsim::hw::isa::pasm {
namespace {

/// Returns the result in 64 bits, or std::nullopt if it does not fit or the shift amount is out of range.
std::optional<std::int64_t> compute(char op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (op) {
    case '+':
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case '-':
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case '*':
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case '/':
      return a == std::numeric_limits<std::int64_t>::min() && b == -1 ? std::nullopt : std::optional(a / b);
    case '<':
      if (b < 0 || b > 62) return std::nullopt;
      return __builtin_mul_overflow(a, std::int64_t(1) << b, &result) ? std::nullopt : std::optional(result);
    default:
      return b < 0 || b > 63 ? std::nullopt : std::optional(a >> b);
  }
}

double compute(char op, double a, double b) {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return a / b;
  }
}

}  // namespace

std::optional<Number> Evaluator::whole(const Expression& expression, std::int64_t a, std::int64_t b) {
  std::optional<std::int64_t> result = compute(expression.op, a, b);
  if (result) return Number::of(*result);
  bool shift = expression.op == '<' || expression.op == '>';
  if (shift && (b < 0 || b > 63)) {
    report_.error(expression.operands[1].span, fmt::format("a shift by {} is none", b));
  } else {
    report_.error(expression.span, "the value of this expression is more than 64 bits hold");
  }
  return std::nullopt;
}

std::optional<Number> Evaluator::operation(const Expression& expression) {
  std::optional<Number> a = number(expression.operands[0]), b = number(expression.operands[1]);
  if (!a || !b) return std::nullopt;
  if (expression.op == '/' && b->as_real() == 0) {
    report_.error(expression.operands[1].span, "division by zero");
    return std::nullopt;
  }
  if (!a->is_real && !b->is_real) return whole(expression, a->integer, b->integer);
  if (expression.op == '<' || expression.op == '>') {
    report_.error(expression.operands[a->is_real ? 0 : 1].span, "shifts take whole numbers");
    return std::nullopt;
  }
  return Number::of(compute(expression.op, a->as_real(), b->as_real()));
}

std::optional<Number> Evaluator::number(const Expression& expression) {
  switch (expression.kind) {
    case Expression::Kind::number:
      return expression.number;
    case Expression::Kind::symbol:
      return symbols_.value_of(expression.symbol, expression.span);
    case Expression::Kind::operation:
      return operation(expression);
    case Expression::Kind::negation:
      break;
  }
  std::optional<Number> inside = number(expression.operands[0]);
  if (!inside) return std::nullopt;
  if (inside->is_real) return Number::of(-inside->real);
  std::optional<std::int64_t> negated = compute('-', 0, inside->integer);
  if (!negated) report_.error(expression.span, "the value of this expression is more than 64 bits hold");
  return negated ? std::optional(Number::of(*negated)) : std::nullopt;
}

std::optional<std::int64_t> Evaluator::integer(const Expression& expression, const char* what, std::int64_t least,
                                               std::int64_t most) {
  std::optional<Number> value = number(expression);
  if (!value) return std::nullopt;
  if (value->is_real) {
    report_.error(expression.span,
                  fmt::format("{} is a whole number, {} is none", what, report_.text(expression.span)));
    return std::nullopt;
  }
  if (value->integer >= least && value->integer <= most) return value->integer;
  report_.error(expression.span, fmt::format("{} is from {} to {}, not {}", what, least, most, value->integer));
  return std::nullopt;
}

std::optional<std::uint32_t> Evaluator::f32_bits(const Expression& expression, const Number& value) {
  if (value.bits) return value.bits;
  double real = value.as_real();
  if (std::isnan(real)) return 0x7fc00000;
  auto rounded = static_cast<float>(real);
  if (std::isinf(rounded) && !std::isinf(real)) {
    report_.error(expression.span, fmt::format("{} is beyond the range of f32", report_.text(expression.span)),
                  "infinity is written inf");
    return std::nullopt;
  }
  return std::bit_cast<std::uint32_t>(rounded);
}

std::optional<std::uint32_t> Evaluator::word(const Expression& expression) {
  std::optional<Number> value = number(expression);
  if (!value) return std::nullopt;
  if (value->is_real) return f32_bits(expression, *value);
  if (value->integer >= std::numeric_limits<std::int32_t>::min() &&
      value->integer <= std::numeric_limits<std::uint32_t>::max()) {
    return std::uint32_t(std::uint64_t(value->integer));
  }
  report_.error(expression.span, fmt::format("{} does not fit 32 bits", value->integer));
  return std::nullopt;
}

std::optional<std::uint32_t> Evaluator::f32(const Expression& expression) {
  if (expression.kind == Expression::Kind::number && expression.hex) {
    report_.error(expression.span, "an f32 is due here, and a hex number leaves open whether its bits are meant",
                  fmt::format("a float is written 1.5, or by its bits: 0f{:08x}",
                              std::uint32_t(std::uint64_t(expression.number.integer))));
    return std::nullopt;
  }
  std::optional<Number> value = number(expression);
  return value ? f32_bits(expression, *value) : std::nullopt;
}

std::optional<double> Evaluator::real(const Expression& expression, const char* what) {
  std::optional<Number> value = number(expression);
  if (!value) return std::nullopt;
  if (std::isfinite(value->as_real())) return value->as_real();
  report_.error(expression.span, fmt::format("{} is a finite number", what));
  return std::nullopt;
}

}  // namespace podsim::hw::isa::pasm
