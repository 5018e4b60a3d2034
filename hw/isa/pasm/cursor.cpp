// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/cursor.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "hw/isa/pasm/names.h"

namespace podsim::hw::isa::pasm {
namespace {

constexpr int deepest_expression = 400;

}  // namespace

const Token& Cursor::peek(std::size_t ahead) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }

Token Cursor::next() {
  Token token = peek();
  if (token.kind != Token::Kind::end) ++at_;
  return token;
}

bool Cursor::at(std::string_view punctuation, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == Token::Kind::punctuation && text(token) == punctuation;
}

bool Cursor::accept(std::string_view punctuation) {
  if (!at(punctuation)) return false;
  ++at_;
  return true;
}

Token Cursor::expect(std::string_view punctuation, std::string_view context) {
  if (at(punctuation)) return next();
  report_.fail(peek().span, fmt::format("'{}' is due here{}, not {}", punctuation, context, described(peek())));
}

Token Cursor::expect(Token::Kind kind, std::string_view what) {
  if (at(kind)) return next();
  report_.fail(peek().span, fmt::format("{} is due here, not {}", what, described(peek())));
}

bool Cursor::at_statement_end() const {
  return at(Token::Kind::line_end) || at(Token::Kind::end) || at(";") || at("}");
}

void Cursor::skip_statement() {
  while (!at_statement_end()) next();
}

void Cursor::skip_line() {
  while (!at(Token::Kind::line_end) && !at(Token::Kind::end)) next();
}

std::string Cursor::described(const Token& token) const {
  if (token.kind == Token::Kind::end) return "the end of the file";
  if (token.kind == Token::Kind::line_end) return "the end of the line";
  return fmt::format("'{}'", text(token));
}

// Expressions, by increasing precedence: << and >>, + and -, * and /, signs.

Expression Cursor::expression() { return shift(0); }

Expression Cursor::binary(char op, Expression a, Expression b) {
  Expression result;
  result.kind = Expression::Kind::operation;
  result.op = op;
  result.depth = 1 + std::max(a.depth, b.depth);
  result.span = join(a.span, b.span);
  if (result.depth > deepest_expression) report_.fail(result.span, "this expression is too long");
  result.operands.push_back(std::move(a));
  result.operands.push_back(std::move(b));
  return result;
}

Expression Cursor::shift(int nesting) {
  Expression left = sum(nesting);
  while (at("<<") || at(">>")) {
    char op = text(next())[0];
    left = binary(op, std::move(left), sum(nesting));
  }
  return left;
}

Expression Cursor::sum(int nesting) {
  Expression left = product(nesting);
  while (at("+") || at("-")) {
    char op = text(next())[0];
    left = binary(op, std::move(left), product(nesting));
  }
  return left;
}

Expression Cursor::product(int nesting) {
  Expression left = unary(nesting);
  while (at("*") || at("/")) {
    char op = text(next())[0];
    left = binary(op, std::move(left), unary(nesting));
  }
  return left;
}

Expression Cursor::unary(int nesting) {
  if (nesting > deepest_expression) report_.fail(peek().span, "this expression is too long");
  if (!at("-")) return primary(nesting);
  Token minus = next();
  Expression result;
  result.kind = Expression::Kind::negation;
  result.operands.push_back(unary(nesting + 1));
  result.depth = result.operands[0].depth + 1;
  result.span = join(minus.span, result.operands[0].span);
  return result;
}

Expression Cursor::symbol(const Token& token) {
  Expression result;
  result.span = token.span;
  std::string word(text(token));
  if (register_of(word)) {
    report_.fail(token.span, fmt::format("{} is a register and cannot be part of an expression", word),
                 "in an address a register stands first: [s1 + 4]");
  }
  if (unit_of(word)) report_.fail(token.span, fmt::format("{} is a unit and has no value", word));
  if (word == "inf") {
    result.number = Number::of(std::numeric_limits<double>::infinity());
  } else if (word == "nan") {
    result.number = Number::of(std::numeric_limits<double>::quiet_NaN());
  } else {
    result.kind = Expression::Kind::symbol;
    result.symbol = word;
  }
  return result;
}

Expression Cursor::primary(int nesting) {
  if (at("(")) {
    Token open = next();
    Expression inside = shift(nesting + 1);
    inside.span = join(open.span, expect(")").span);
    inside.hex = false;
    return inside;
  }
  if (at(Token::Kind::identifier)) return symbol(next());
  Expression result;
  Token token = peek();
  result.span = token.span;
  if (token.kind == Token::Kind::integer) {
    result.number = Number::of(token.integer);
    result.hex = token.hex;
  } else if (token.kind == Token::Kind::real) {
    result.number = Number::of(token.real);
  } else if (token.kind == Token::Kind::float_bits) {
    auto bits = std::uint32_t(token.integer);
    result.number = Number::of(double(std::bit_cast<float>(bits)));
    result.number.bits = bits;
  } else {
    report_.fail(token.span, fmt::format("a number or a name is due here, not {}", described(token)));
  }
  next();
  return result;
}

}  // namespace podsim::hw::isa::pasm
