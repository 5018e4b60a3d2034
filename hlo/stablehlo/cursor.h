// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

/// The lexer of MLIR text: a position in a text, and functions that read what may follow. Nothing is copied: results
/// are views into the text.
namespace podsim::hlo::stablehlo {

/// An error in a text at bytes [offset, offset + length).
struct Fault : std::runtime_error {
  Fault(std::size_t fault_offset, std::size_t fault_length, const std::string& message, std::string fault_hint = "");
  std::size_t offset, length;
  std::string hint;
};

/// Nested brackets and regions beyond this depth are refused.
constexpr int deepest_nesting = 200;

class Cursor {
 public:
  explicit Cursor(std::string_view text, std::size_t offset = 0) : text_(text), offset_(offset) {}

  std::string_view text() const { return text_; }
  std::size_t offset() const { return offset_; }
  void move_to(std::size_t offset) { offset_ = offset; }

  /// Skips white space and comments. Returns false at the end of the text.
  bool skip_space();
  /// Skips blanks on the line.
  void skip_blanks();
  /// The next character after white space, or after blanks only; 0 at the end.
  char peek() { return skip_space() ? text_[offset_] : '\0'; }
  char peek_in_line();
  /// Skips `c` or `word` if it comes next, after white space, and returns whether it did. A word ends where no letter,
  /// digit, '_', '.' or '$' follows.
  bool accept(char c);
  bool accept_word(std::string_view word);
  bool accept_text(std::string_view word);
  void expect(char c, std::string_view where = "");
  void expect_text(std::string_view word);

  /// Letters, digits, '_', '.', '$'.
  std::string_view identifier(std::string_view what);
  /// A value's name with its '%' and number: "%0", "%3#1".
  std::string_view value_name();
  /// The name after '@', without quotes.
  std::string_view symbol();
  /// Quoted text without its quotes; escapes stay as written.
  std::string_view quoted();
  std::int64_t integer();
  /// The brackets that open here with all between them.
  std::string_view bracketed();
  /// Text up to a character of `ends` outside brackets and quotes, to a closing bracket, or to the end of the text;
  /// without white space at its end.
  std::string_view balanced(std::string_view ends);

  /// Throws Fault at the position: "expected X", or at the end of the text that it ends where X was expected.
  [[noreturn]] void fail_expected(std::string_view what, std::string hint = "");
  /// Throws Fault about a view into the text.
  [[noreturn]] void fail_at(std::string_view where, const std::string& message, std::string hint = "") const;

 private:
  void skip_bracketed(int depth);

  std::string_view text_;
  std::size_t offset_ = 0;
};

bool is_word_character(char c);

}  // namespace podsim::hlo::stablehlo
