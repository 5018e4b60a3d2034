// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/isa/pasm/report.h"

namespace podsim::hw::isa::pasm {

/// An integer or a real number.
struct Number {
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0;
  std::optional<std::uint32_t> bits;  ///< for a float that was given by its bits
  static Number of(std::int64_t value) { return {false, value, 0, {}}; }
  static Number of(double value) { return {true, 0, value, {}}; }
  double as_real() const { return is_real ? real : double(integer); }
};

/// An expression in the text, evaluated when all symbols are known.
struct Expression {
  enum class Kind : std::uint8_t { number, symbol, negation, operation };
  Kind kind = Kind::number;
  bool hex = false;  ///< a number written with 0x or 0b
  char op = 0;       ///< + - * /, and < > for shifts
  int depth = 1;     ///< depth of the tree
  Span span;
  Number number;
  std::string symbol;
  std::vector<Expression> operands;
};

/// Values of names.
class SymbolValues {
 public:
  virtual ~SymbolValues() = default;
  /// Returns the value of a name, or std::nullopt after reporting that it has none.
  virtual std::optional<Number> value_of(const std::string& name, Span span) = 0;
};

/// Evaluates expressions to the forms that memory and bundles hold. Reports a value that does not exist or does not
/// fit, and returns std::nullopt for it.
class Evaluator {
 public:
  Evaluator(Report& report, SymbolValues& symbols) : report_(report), symbols_(symbols) {}
  std::optional<Number> number(const Expression& expression);
  /// An integer from `least` to `most`. `what` names the value in a message.
  std::optional<std::int64_t> integer(const Expression& expression, const char* what, std::int64_t least,
                                      std::int64_t most);
  /// 32 bits: an integer, signed or unsigned, or the f32 bits of a real number.
  std::optional<std::uint32_t> word(const Expression& expression);
  /// The f32 bits of a real number or an integer.
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
