// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/isa/pasm/report.h"

namespace podsim::hw::isa::pasm {

/// A whole number, or a real one.
struct Number {
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0;
  std::optional<std::uint32_t> bits;  ///< of a float that was given by its bits
  static Number of(std::int64_t value) { return {false, value, 0, {}}; }
  static Number of(double value) { return {true, 0, value, {}}; }
  double as_real() const { return is_real ? real : double(integer); }
};

/// What stands for a number in the text, evaluated when all symbols are known.
struct Expression {
  enum class Kind : std::uint8_t { number, symbol, negation, operation };
  Kind kind = Kind::number;
  bool hex = false;  ///< a number written with 0x or 0b
  char op = 0;       ///< + - * / < > (shifts)
  int depth = 1;     ///< of the tree
  Span span;
  Number number;
  std::string symbol;
  std::vector<Expression> operands;
};

/// The number that a name stands for.
class SymbolValues {
 public:
  virtual ~SymbolValues() = default;
  /// Nothing if it stands for none, which has been reported.
  virtual std::optional<Number> value_of(const std::string& name, Span span) = 0;
};

/// Numbers of expressions in the forms that memory and bundles hold. What cannot be is reported, and gives nothing.
class Evaluator {
 public:
  Evaluator(Report& report, SymbolValues& symbols) : report_(report), symbols_(symbols) {}
  std::optional<Number> number(const Expression& expression);
  /// A whole number from `least` to `most`; `what` says in a message what it is for.
  std::optional<std::int64_t> integer(const Expression& expression, const char* what, std::int64_t least,
                                      std::int64_t most);
  /// 32 bits: a whole number, signed or not, or the bits of a real one as f32.
  std::optional<std::uint32_t> word(const Expression& expression);
  /// The bits of a number, real or whole, as f32.
  std::optional<std::uint32_t> f32(const Expression& expression);
  /// A finite number.
  std::optional<double> real(const Expression& expression, const char* what);

 private:
  std::optional<Number> operation(const Expression& expression);
  std::optional<Number> whole(const Expression& expression, std::int64_t a, std::int64_t b);
  std::optional<std::uint32_t> f32_bits(const Expression& expression, const Number& value);

  Report& report_;
  SymbolValues& symbols_;
};

}  // namespace podsim::hw::isa::pasm
