// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::sw::compiler::costs {

/// Values by the names that an expression may use.
using Sizes = std::map<std::string, double, std::less<>>;

/// An expression over named sizes, "4 * b*s*(s+1) / 2": numbers, names, + - * / and parentheses.
class SizeExpression {
 public:
  /// Parses a text. `place` is its location; `names` are those that it may use. Throws InputError at the character that
  /// is wrong.
  SizeExpression(const std::string& text, const base::SourceLocation& place, const std::vector<std::string>& names);

  /// The value for sizes, which have all names. Throws InputError at the expression if it is not from 0 to `most`.
  double value(const Sizes& sizes, double most) const;
  /// The value as a whole number. Throws InputError at the expression if it is none or not from `least` to `most`.
  std::int64_t whole(const Sizes& sizes, std::int64_t least, std::int64_t most) const;

 private:
  friend class ExpressionParser;
  /// A step of a machine with a stack: pushes a number or a named size, or combines the two on top.
  struct Step {
    char operation = '#';  ///< '#' a number, '$' a name, '+', '-', '*', '/'
    double number = 0;
    std::string name;
  };

  [[noreturn]] void reject(const std::string& message) const;

  std::string text_;
  base::SourceLocation place_;
  std::vector<Step> steps_;
};

}  // namespace podsim::sw::compiler::costs
