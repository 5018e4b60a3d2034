// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "hw/isa/pasm/expression.h"
#include "hw/isa/pasm/syntax.h"
#include "hw/isa/pasm/token.h"

namespace podsim::hw::isa::pasm {

/// A position in the tokens of a file, with the operations that all parsers share. Mistakes are reported and thrown as
/// SyntaxError.
class Cursor {
 public:
  explicit Cursor(Report& report) : report_(report), tokens_(tokenize(report)) {}

  const Token& peek(std::size_t ahead = 0) const;
  Token next();
  bool at(Token::Kind kind) const { return peek().kind == kind; }
  bool at(std::string_view punctuation, std::size_t ahead = 0) const;
  bool accept(std::string_view punctuation);
  /// Takes a token that is required here. `context` ends the message: "',' is due here" + ", before the next operand".
  Token expect(std::string_view punctuation, std::string_view context = "");
  Token expect(Token::Kind kind, std::string_view what);

  std::string_view text(const Token& token) const { return report_.text(token.span); }
  /// Returns true at the end of the line, of the file, of an operation in braces, or of the braces.
  bool at_statement_end() const;
  /// Advance to the next statement end, or to the end of the line.
  void skip_statement();
  void skip_line();
  /// "'x'", "the end of the line"
  std::string described(const Token& token) const;

  Expression expression();
  Report& report() { return report_; }

 private:
  Expression sum(int nesting);
  Expression product(int nesting);
  Expression shift(int nesting);
  Expression unary(int nesting);
  Expression primary(int nesting);
  Expression binary(char op, Expression a, Expression b);
  Expression symbol(const Token& token);

  Report& report_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace podsim::hw::isa::pasm
