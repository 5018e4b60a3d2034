// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/study/study.h"

namespace mu {
class Parser;
}

namespace podsim::workloads {

/// Arithmetic on named numbers, by muParser: + - * / ^, comparisons, && and ||, ?:, min, max, sqrt, log2, rint and so
/// on, and floor, ceil and mod. Names may hold dots.
class Expression {
 public:
  /// base::InputError at the character that is wrong.
  explicit Expression(const StudyExpression& source);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  const StudyExpression& source() const { return source_; }
  /// The names that stand in it, each once.
  const std::vector<std::string>& names() const { return names_; }
  /// Where `name` stands first.
  base::SourceLocation place(std::string_view name) const;
  /// May be infinite or no number. `value` is asked for each of names().
  double evaluate(const std::function<double(const std::string& name)>& value);

 private:
  StudyExpression source_;
  std::vector<std::string> names_;
  std::vector<double> values_;  ///< bound to the names
  std::unique_ptr<mu::Parser> parser_;
};

}  // namespace podsim::workloads
