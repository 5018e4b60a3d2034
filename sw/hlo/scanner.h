// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

/// The lexer of HLO text: a place in a text and what can stand there. HLO's words depend on where they stand
/// ("bf_io->bf", "13_14", "8x128" are words of their own in an attribute), so there is no one stream of tokens; the
/// reader asks for what it expects. Nothing is copied: what is returned points into the text.
namespace podsim::sw::hlo {

/// What is wrong with a text, and where: bytes [offset, offset + length).
struct SyntaxError : std::runtime_error {
  SyntaxError(std::size_t error_offset, std::size_t error_length, const std::string& message,
              std::string error_hint = "");
  std::size_t offset, length;
  std::string hint;
};

/// Letters, digits, '_', '.', '-'.
bool is_name_character(char c);

class Scanner {
 public:
  explicit Scanner(std::string_view text, std::size_t offset = 0) : text_(text), offset_(offset) {}

  std::string_view text() const { return text_; }
  std::size_t offset() const { return offset_; }
  void move_to(std::size_t offset) { offset_ = offset; }
  /// Skips white space and comments; false at the end of the text.
  bool skip_space();
  /// The next character after white space, 0 at the end.
  char peek() { return skip_space() ? text_[offset_] : '\0'; }
  /// Skips `c`, or the characters of `word`, if they come next.
  bool accept(char c);
  bool accept(std::string_view word);
  /// As accept, SyntaxError if something else comes next; `where` ends the message, as in "after the operands".
  void expect(char c, std::string_view where = "");
  void expect(std::string_view word, std::string_view where = "");

  /// A name, without its '%'; `what` names it in the message, as in "an opcode".
  std::string_view name(std::string_view what);
  /// A decimal number with an optional sign; within 64 bits.
  std::int64_t integer(std::string_view what);
  /// What stands between quotes, escapes as they are written.
  std::string_view quoted(std::string_view what);
  /// A value of unknown form: text up to a ',' outside of brackets and quotes, to a bracket that closes an outer one,
  /// or to a word after white space. Brackets within must pair.
  std::string_view balanced(std::string_view what);
  /// Characters up to white space, a bracket, a quote, ',' or '='.
  std::string_view word(std::string_view what);

  /// SyntaxError here: "expected X"; at the end of the text that it ends where X was expected.
  [[noreturn]] void fail_expected(std::string_view what, std::string hint = "");
  /// SyntaxError about text that was read: `where` points into the text.
  [[noreturn]] void fail_at(std::string_view where, const std::string& message, std::string hint = "") const;
  /// SyntaxError at the end of the text, where its last character was.
  [[noreturn]] void fail_at_end(const std::string& message) const;
  /// 1-based line of a place in the text.
  int line_of(std::size_t offset) const;

 private:
  void skip_comment();

  std::string_view text_;
  std::size_t offset_ = 0;
};

/// One past the last character of `text` that is not white space: where an early end is reported.
std::size_t end_of_content(std::string_view text);

}  // namespace podsim::sw::hlo
