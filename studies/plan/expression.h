// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "studies/plan/study.h"

namespace mu {
class Parser;
}

namespace podsim::studies::plan {

/// An arithmetic expression on named numbers, evaluated by muParser: + - * / ^, comparisons, && and ||, !, ?:, the
/// functions of muParser such as min, max, sqrt, log2 and rint, and also floor, ceil and mod. Names may contain dots.
class Expression {
 public:
  /// Throws base::InputError at the character that is wrong.
  explicit Expression(const StudyExpression& source);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  const StudyExpression& source() const { return source_; }
  /// The distinct names in the expression, in order of first appearance.
  const std::vector<std::string>& names() const { return names_; }
  /// Location of the first appearance of `name`.
  base::SourceLocation place(std::string_view name) const;
  /// The expression's value, which may be infinite or NaN. `value` is called for each of names().
  double evaluate(const std::function<double(const std::string& name)>& value);

 private:
  StudyExpression source_;
  std::vector<std::string> names_;
  std::vector<double> values_;  ///< bound to the names
  std::unique_ptr<mu::Parser> parser_;
};

}  // namespace podsim::studies::plan
