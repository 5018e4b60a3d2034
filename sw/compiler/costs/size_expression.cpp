// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/costs/size_expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <string_view>

namespace podsim::sw::compiler::costs {

namespace {

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

/// A parser by recursive descent: sum of products of factors.
class ExpressionParser {
 public:
  ExpressionParser(SizeExpression& expression, const std::vector<std::string>& names)
      : expression_(expression), text_(expression.text_), names_(names) {}

  void run() {
    sum();
    if (next() != '\0') reject(at_, 1, fmt::format("'{}' is not expected here", text_[at_]));
  }

 private:
  static constexpr int max_deep = 100;

  /// The next character that is no space; '\0' at the end.
  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void sum() {
    product();
    for (char sign = next(); sign == '+' || sign == '-'; sign = next()) {
      ++at_;
      product();
      add(sign);
    }
  }

  void product() {
    factor();
    for (char sign = next(); sign == '*' || sign == '/'; sign = next()) {
      ++at_;
      factor();
      add(sign);
    }
  }

  void factor() {
    const char first = next();
    if (first == '(') return parenthesis();
    if (begins_name(first)) return name();
    if (is_digit(first) || first == '.') return number();
    reject(at_, 1, first == '\0' ? "the expression ends here" : fmt::format("'{}' is not expected here", first),
           "a number, a name or '('");
  }

  void parenthesis() {
    const std::size_t open = at_++;
    if (++deep_ > max_deep) reject(open, 1, fmt::format("parentheses are deeper than {}", max_deep));
    sum();
    if (next() != ')') reject(open, 1, "this parenthesis is not closed");
    ++at_;
    --deep_;
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (begins_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (std::ranges::find(names_, word) == names_.end()) {
      const std::string nearest = base::did_you_mean(word, names_);
      reject(begin, int(word.size()), fmt::format("'{}' is no size of this call", word),
             nearest.empty() ? fmt::format("the sizes: {}", fmt::join(names_, ", ")) : nearest);
    }
    expression_.steps_.push_back({'$', 0, word});
  }

  void number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) reject(at_, 1, "this is not a number");
    at_ = std::size_t(end - text_.data());
    expression_.steps_.push_back({'#', value, ""});
  }

  void add(char operation) { expression_.steps_.push_back({operation, 0, ""}); }

  [[noreturn]] void reject(std::size_t at, int length, std::string message, std::string hint = "") const {
    base::SourceLocation place = expression_.place_;
    place.column += int(at);
    place.length = length;
    throw base::InputError({base::Diagnostic::Severity::error, std::move(message), place, std::move(hint)});
  }

  SizeExpression& expression_;
  std::string_view text_;
  const std::vector<std::string>& names_;
  std::size_t at_ = 0;
  int deep_ = 0;
};

SizeExpression::SizeExpression(const std::string& text, const base::SourceLocation& place,
                               const std::vector<std::string>& names)
    : text_(text), place_(place) {
  ExpressionParser(*this, names).run();
}

void SizeExpression::reject(const std::string& message) const {
  throw base::InputError({base::Diagnostic::Severity::error, message, place_, ""});
}

double SizeExpression::value(const Sizes& sizes, double most) const {
  std::vector<double> stack;
  for (const Step& step : steps_) {
    if (step.operation == '#') {
      stack.push_back(step.number);
    } else if (step.operation == '$') {
      stack.push_back(sizes.find(step.name)->second);
    } else {
      const double right = stack.back();
      stack.pop_back();
      double& left = stack.back();
      left = step.operation == '+'   ? left + right
             : step.operation == '-' ? left - right
             : step.operation == '*' ? left * right
                                     : left / right;
    }
  }
  const double result = stack.back();
  if (!(result >= 0 && result <= most)) {
    reject(fmt::format("'{}' is {:g} here, not from 0 to {:g}", text_, result, most));
  }
  return result;
}

std::int64_t SizeExpression::whole(const Sizes& sizes, std::int64_t least, std::int64_t most) const {
  const double result = value(sizes, double(most));
  if (result != std::floor(result) || result < double(least)) {
    reject(fmt::format("'{}' is {:g} here, not a whole number from {} to {}", text_, result, least, most));
  }
  return std::int64_t(result);
}

}  // namespace podsim::sw::compiler::costs
