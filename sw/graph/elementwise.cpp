// SPDX-License-Identifier: Apache-2.0
#include "sw/graph/elementwise.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace podsim::sw {

namespace {

bool compare(ComparisonDirection direction, double x, double y) {
  switch (direction) {
    case ComparisonDirection::eq:
      return x == y;
    case ComparisonDirection::ne:
      return x != y;
    case ComparisonDirection::lt:
      return x < y;
    case ComparisonDirection::le:
      return x <= y;
    case ComparisonDirection::gt:
      return x > y;
    case ComparisonDirection::ge:
      return x >= y;
  }
  assert(false);
  return false;
}

double divide(ElementType type, double x, double y) {
  if (is_floating_point(type)) return x / y;
  return y == 0 ? -1 : std::trunc(x / y);
}

/// HLO's maximum hands a NaN of either side on, unlike std::fmax.
double maximum(double x, double y) { return std::isnan(x) || x > y ? x : y; }
double minimum(double x, double y) { return std::isnan(x) || x < y ? x : y; }

double sign(double x) { return std::isnan(x) ? x : double((x > 0) - (x < 0)); }

/// A floating-point value that becomes an integer is truncated and clamped; NaN becomes 0.
double convert(ElementType from, ElementType to, double x) {
  if (!is_floating_point(from) || is_floating_point(to) || to == ElementType::pred) return x;
  if (std::isnan(x)) return 0;
  const bool has_sign = is_signed_integer(to);
  const int bits = 8 * byte_width(to) - (has_sign ? 1 : 0);
  // 2^63 - 1 is not a double: the largest one below 2^bits that round_to leaves alone.
  const double highest = bits > 53 ? std::nextafter(std::ldexp(1.0, bits), 0.0) : std::ldexp(1.0, bits) - 1;
  return std::clamp(std::trunc(x), has_sign ? -std::ldexp(1.0, bits) : 0.0, highest);
}

std::int64_t bits_of(double x) { return std::int64_t(x); }

}  // namespace

double apply_elementwise(const Instruction& instruction, ElementType type, std::span<const double> operands) {
  const double x = operands[0];
  const double y = operands.size() > 1 ? operands[1] : 0;
  switch (instruction.opcode) {
    case Opcode::negate:
      return -x;
    case Opcode::abs:
      return std::abs(x);
    case Opcode::exponential:
      return std::exp(x);
    case Opcode::log:
      return std::log(x);
    case Opcode::sqrt:
      return std::sqrt(x);
    case Opcode::rsqrt:
      return 1 / std::sqrt(x);
    case Opcode::tanh:
      return std::tanh(x);
    case Opcode::sign:
      return sign(x);
    case Opcode::convert:
      return convert(type, instruction.shape.element_type, x);
    case Opcode::copy:
      return x;
    case Opcode::add:
      return x + y;
    case Opcode::subtract:
      return x - y;
    case Opcode::multiply:
      return x * y;
    case Opcode::divide:
      return divide(type, x, y);
    case Opcode::maximum:
      return maximum(x, y);
    case Opcode::minimum:
      return minimum(x, y);
    case Opcode::power:
      return std::pow(x, y);
    case Opcode::compare:
      return compare(instruction.comparison, x, y);
    case Opcode::logical_and:
      return double(bits_of(x) & bits_of(y));
    case Opcode::logical_or:
      return double(bits_of(x) | bits_of(y));
    case Opcode::select:
      return x != 0 ? y : operands[2];
    default:
      throw std::logic_error(fmt::format("{} cannot be evaluated", to_string(instruction.opcode)));
  }
}

Literal evaluate_elementwise(const Instruction& instruction, std::span<const Literal* const> operands) {
  assert(operands.size() <= 3);
  Literal result{instruction.shape, std::vector<double>(instruction.shape.element_count()), {}};
  const ElementType type = operands.size() == 3 ? operands[1]->shape.element_type : operands[0]->shape.element_type;
  double scalars[3] = {};
  const std::span<const double> arguments(scalars, operands.size());
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      // The predicate of a select may be one scalar for all elements.
      scalars[k] = operands[k]->values[operands[k]->shape.rank() == 0 ? 0 : i];
    }
    result.values[i] = round_to(result.shape.element_type, apply_elementwise(instruction, type, arguments));
  }
  return result;
}

}  // namespace podsim::sw
