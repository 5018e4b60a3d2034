// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/expression.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text/utf8.h"

namespace podsim::studies::plan {

namespace {

constexpr const char* name_characters = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.";

bool is_name_character(char c) { return std::string_view(name_characters).find(c) != std::string_view::npos; }

base::SourceLocation at(const StudyExpression& source, std::size_t offset, std::size_t length) {
  base::SourceLocation place = source.place;
  const std::string_view before = std::string_view(source.text).substr(0, offset);
  place.column += int(base::text::utf8_characters(before).size());
  place.length = std::max(int(length), 1);
  return place;
}

[[noreturn]] void fail(const StudyExpression& source, std::size_t offset, std::size_t length, std::string message,
                       std::string hint = "") {
  throw base::InputError(base::Diagnostic{base::Diagnostic::Severity::error, std::move(message),
                                          at(source, std::min(offset, source.text.size()), length), std::move(hint)});
}

/// Offset of the first occurrence of `name` as a whole word.
std::size_t find_word(std::string_view text, std::string_view name) {
  for (std::size_t i = text.find(name); i != std::string_view::npos; i = text.find(name, i + 1)) {
    const std::size_t end = i + name.size();
    if ((i == 0 || !is_name_character(text[i - 1])) && (end == text.size() || !is_name_character(text[end]))) return i;
  }
  return std::string_view::npos;
}

/// muParser would take '=' as an assignment to a variable.
void refuse_assignment(const StudyExpression& source) {
  const std::string& text = source.text;
  for (std::size_t i = text.find('='); i != std::string::npos; i = text.find('=', i + 1)) {
    const bool second = i > 0 && std::string_view("=<>!").find(text[i - 1]) != std::string_view::npos;
    const bool first = i + 1 < text.size() && text[i + 1] == '=';
    if (!first && !second) fail(source, i, 1, "'=' does not compare", "write '=='");
  }
}

std::string sentence(const mu::ParserError& error) {
  using namespace mu;
  const std::string& token = error.GetToken();
  switch (error.GetCode()) {
    case ecUNEXPECTED_EOF:
      return "the expression ends too early";
    case ecEMPTY_EXPRESSION:
      return "the expression is empty";
    case ecMISSING_PARENS:
      return "a parenthesis is not closed";
    case ecUNEXPECTED_PARENS:
      return fmt::format("unexpected '{}'", token.empty() ? ")" : token);
    case ecTOO_MANY_PARAMS:
      return fmt::format("too many arguments for {}", token);
    case ecTOO_FEW_PARAMS:
      return fmt::format("too few arguments for {}", token);
    default:
      return token.empty() ? "this is no expression" : fmt::format("unexpected '{}'", token);
  }
}

const std::vector<std::string>& functions() {
  static const std::vector<std::string> names = {"abs",   "acos", "asin", "atan",  "avg",  "ceil", "cos", "exp",
                                                 "floor", "ln",   "log",  "log10", "log2", "max",  "min", "mod",
                                                 "rint",  "sign", "sin",  "sqrt",  "sum",  "tan"};
  return names;
}

[[noreturn]] void fail(const StudyExpression& source, const mu::ParserError& error) {
  const std::string& text = source.text;
  const std::string& token = error.GetToken();
  std::size_t offset = error.GetPos() < 0 ? 0 : std::min(std::size_t(error.GetPos()), text.size());
  // muParser's position is that of the token's first character or the one after the token.
  if (!token.empty() && text.compare(offset, token.size(), token) != 0) {
    const std::size_t found = text.rfind(token, offset);
    if (found != std::string::npos) offset = found;
  }
  std::size_t begin = offset;
  while (begin > 0 && is_name_character(text[begin - 1])) --begin;
  if (token == "(" && begin < offset) {
    const std::string name = text.substr(begin, offset - begin);
    fail(source, begin, name.size(), fmt::format("'{}' is no function", name), base::did_you_mean(name, functions()));
  }
  const bool unknown = error.GetCode() == mu::ecUNASSIGNABLE_TOKEN;  // the token is the whole rest of the text
  fail(source, offset, unknown ? 1 : std::max<std::size_t>(token.size(), 1),
       unknown ? fmt::format("'{}' is no name, number or operator", token.substr(0, 1)) : sentence(error));
}

std::unique_ptr<mu::Parser> make_parser(const std::string& text) {
  auto parser = std::make_unique<mu::Parser>();
  parser->DefineNameChars(name_characters);
  parser->DefineFun(
      "floor", +[](double x) { return std::floor(x); });
  parser->DefineFun(
      "ceil", +[](double x) { return std::ceil(x); });
  parser->DefineFun(
      "mod", +[](double x, double y) { return std::fmod(x, y); });
  parser->DefineInfixOprt(
      "!", +[](double x) { return x == 0 ? 1.0 : 0.0; });
  parser->SetExpr(text);
  return parser;
}

}  // namespace

Expression::Expression(const StudyExpression& source) : source_(source) {
  refuse_assignment(source_);
  try {
    parser_ = make_parser(source_.text);
    for (const auto& [name, value] : parser_->GetUsedVar()) names_.push_back(name);
    std::ranges::sort(names_, {}, [&](const std::string& name) { return find_word(source_.text, name); });
    values_.assign(names_.size(), 1);
    for (std::size_t i = 0; i < names_.size(); ++i) parser_->DefineVar(names_[i], &values_[i]);
    parser_->Eval();
  } catch (const mu::ParserError& error) {
    fail(source_, error);
  }
  if (parser_->GetNumResults() != 1) {
    fail(source_, source_.text.find(','), 1, "an expression is one number", "',' stands between arguments only");
  }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

base::SourceLocation Expression::place(std::string_view name) const {
  return at(source_, find_word(source_.text, name), name.size());
}

double Expression::evaluate(const std::function<double(const std::string&)>& value) {
  for (std::size_t i = 0; i < names_.size(); ++i) values_[i] = value(names_[i]);
  try {
    return parser_->Eval();
  } catch (const mu::ParserError&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace podsim::studies::plan
