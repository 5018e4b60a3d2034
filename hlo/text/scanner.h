// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

/// The lexer of HLO text: a position in a text, and functions that read what may follow. Words of HLO depend on their
/// context ("bf_io->bf", "13_14" and "8x128" are single words in an attribute), so there is no common stream of lexical
/// tokens; the reader calls the function for what it expects. Nothing is copied: results are views into the text.
namespace podsim::hlo::text {

/// An error in a text at bytes [offset, offset + length).
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
  /// Skips white space and comments. Returns false at the end of the text.
  bool skip_space();
  /// Returns the next character after white space, 0 at the end.
  char peek() { return skip_space() ? text_[offset_] : '\0'; }
  /// Skips `c`, or the characters of `word`, if they come next, and returns whether they did.
  bool accept(char c);
  bool accept(std::string_view word);
  /// As accept, but throws SyntaxError if something else comes next; `where` ends the message, as in "after the
  /// operands".
  void expect(char c, std::string_view where = "");
  void expect(std::string_view word, std::string_view where = "");

  /// Reads a name, without its '%'; `what` describes it in the message, as in "an opcode".
  std::string_view name(std::string_view what);
  /// Reads a decimal number with an optional sign, within 64 bits.
  std::int64_t integer(std::string_view what);
  /// Reads quoted text without its quotes; escapes stay as written.
  std::string_view quoted(std::string_view what);
  /// Reads a value of unknown form: text up to a ',' outside brackets and quotes, to a bracket that closes an outer
  /// one, or to a word after white space. Brackets within must be paired.
  std::string_view balanced(std::string_view what);
  /// Reads characters up to white space, a bracket, a quote, ',' or '='.
  std::string_view word(std::string_view what);

  /// Throws SyntaxError at the current position: "expected X", or at the end of the text that it ends where X was
  /// expected.
  [[noreturn]] void fail_expected(std::string_view what, std::string hint = "");
  /// Throws SyntaxError about text that was read; `where` is a view into the text.
  [[noreturn]] void fail_at(std::string_view where, const std::string& message, std::string hint = "") const;
  /// Throws SyntaxError at the last character of the text.
  [[noreturn]] void fail_at_end(const std::string& message) const;
  /// 1-based line of an offset in the text.
  int line_of(std::size_t offset) const;

 private:
  bool at_comment() const;
  void skip_comment();

  std::string_view text_;
  std::size_t offset_ = 0;
};

/// Offset after the last character of `text` that is not white space. An early end is reported here.
std::size_t end_of_content(std::string_view text);

}  // namespace podsim::hlo::text
