// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace podsim::hlo::text {
namespace {

constexpr std::array<bool, 256> name_characters = [] {
  std::array<bool, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[std::size_t(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[std::size_t(c)] = true;
  for (int c = '0'; c <= '9'; ++c) table[std::size_t(c)] = true;
  table['_'] = table['.'] = table['-'] = true;
  return table;
}();

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

/// Number of characters to underline and quote in an unexpected token.
std::size_t token_length(std::string_view rest) {
  std::size_t length = 0;
  while (length < rest.size() && (is_name_character(rest[length]) || (length == 0 && rest[0] == '%'))) ++length;
  return std::max<std::size_t>(length, 1);
}

/// A token as a message shows it; a character that is not printable ASCII appears as its code.
std::string shown(std::string_view token) {
  if (token.size() == 1 && (token[0] < ' ' || token[0] > '~')) {
    return fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(token[0]));
  }
  return token.size() > 60 ? fmt::format("'{}...'", token.substr(0, 60)) : fmt::format("'{}'", token);
}

}  // namespace

SyntaxError::SyntaxError(std::size_t error_offset, std::size_t error_length, const std::string& message,
                         std::string error_hint)
    : std::runtime_error(message), offset(error_offset), length(error_length), hint(std::move(error_hint)) {}

bool is_name_character(char c) { return name_characters[static_cast<unsigned char>(c)]; }

std::size_t end_of_content(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && is_space(text[end - 1])) --end;
  return end;
}

void Scanner::skip_comment() {
  const std::size_t begin = offset_;
  const bool line = text_[offset_ + 1] == '/';
  const std::size_t end = line ? text_.find('\n', offset_) : text_.find("*/", offset_ + 2);
  if (end == std::string_view::npos && !line) {
    fail_at_end(fmt::format("the text ends inside a comment that begins in line {}", line_of(begin)));
  }
  offset_ = end == std::string_view::npos ? text_.size() : line ? end : end + 2;
}

bool Scanner::at_comment() const {
  const std::string_view rest = text_.substr(offset_);
  return rest.starts_with("//") || rest.starts_with("/*");
}

bool Scanner::skip_space() {
  while (offset_ < text_.size()) {
    if (is_space(text_[offset_])) {
      ++offset_;
    } else if (at_comment()) {
      skip_comment();
    } else {
      return true;
    }
  }
  return false;
}

bool Scanner::accept(char c) {
  if (peek() != c || offset_ == text_.size()) return false;
  ++offset_;
  return true;
}

bool Scanner::accept(std::string_view word) {
  if (!skip_space() || !text_.substr(offset_).starts_with(word)) return false;
  const std::size_t end = offset_ + word.size();
  if (is_name_character(word.back()) && word.back() != '-' && end < text_.size() && is_name_character(text_[end])) {
    return false;
  }
  offset_ = end;
  return true;
}

void Scanner::expect(char c, std::string_view where) {
  if (!accept(c)) fail_expected(fmt::format("'{}'{}{}", c, where.empty() ? "" : " ", where));
}

void Scanner::expect(std::string_view word, std::string_view where) {
  if (!accept(word)) fail_expected(fmt::format("'{}'{}{}", word, where.empty() ? "" : " ", where));
}

std::string_view Scanner::name(std::string_view what) {
  skip_space();
  std::size_t end = offset_ + (offset_ < text_.size() && text_[offset_] == '%' ? 1 : 0);
  const std::size_t begin = end;
  while (end < text_.size() && is_name_character(text_[end])) ++end;
  if (end > begin && text_[end - 1] == '-' && end < text_.size() && text_[end] == '>') --end;
  if (end == begin) fail_expected(what);
  offset_ = end;
  return text_.substr(begin, end - begin);
}

std::int64_t Scanner::integer(std::string_view what) {
  skip_space();
  const char* first = text_.data() + offset_;
  const char* last = text_.data() + text_.size();
  if (first != last && *first == '+') ++first;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::result_out_of_range) {
    fail_at(text_.substr(offset_, std::size_t(end - (text_.data() + offset_))), "this number does not fit 64 bits");
  }
  if (error != std::errc{}) fail_expected(what);
  offset_ = std::size_t(end - text_.data());
  return value;
}

std::string_view Scanner::quoted(std::string_view what) {
  if (peek() != '"') fail_expected(what);
  const std::size_t begin = offset_ + 1;
  std::size_t end = begin;
  while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size()) {
    fail_at_end(fmt::format("the text ends inside a string that begins in line {}", line_of(offset_)));
  }
  offset_ = end + 1;
  return text_.substr(begin, end - begin);
}

std::string_view Scanner::balanced(std::string_view what) {
  skip_space();
  const std::size_t begin = offset_;
  std::size_t end = begin;  // after the last character that is neither space nor comment
  std::vector<std::size_t> open;
  while (true) {
    if (!skip_space()) {
      if (open.empty()) break;
      fail_at_end(
          fmt::format("the text ends before the '{}' of line {} is closed", text_[open.back()], line_of(open.back())));
    }
    const char c = text_[offset_];
    const bool next_word = offset_ > end && end > begin && (is_name_character(c) || c == '%');
    if (open.empty() && (c == ',' || next_word)) break;
    if (c == '"') {
      quoted("a string");
      end = offset_;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') open.push_back(offset_);
    if (c == ')' || c == ']' || c == '}') {
      if (open.empty()) break;
      const char expected = closing(text_[open.back()]);
      if (c != expected) {
        fail_at(text_.substr(offset_, 1), fmt::format("expected '{}' to close the '{}' of line {}, found '{}'",
                                                      expected, text_[open.back()], line_of(open.back()), c));
      }
      open.pop_back();
    }
    end = ++offset_;
  }
  offset_ = end;
  if (end == begin) fail_expected(what);
  return text_.substr(begin, end - begin);
}

std::string_view Scanner::word(std::string_view what) {
  skip_space();
  const std::size_t begin = offset_;
  while (offset_ < text_.size() && !is_space(text_[offset_]) && !at_comment() &&
         std::string_view(",(){}[]=\"").find(text_[offset_]) == std::string_view::npos) {
    ++offset_;
  }
  if (offset_ == begin) fail_expected(what);
  return text_.substr(begin, offset_ - begin);
}

void Scanner::fail_expected(std::string_view what, std::string hint) {
  if (!skip_space()) fail_at_end(fmt::format("the text ends where {} was expected", what));
  const std::string_view rest = text_.substr(offset_);
  const std::string_view token = rest.substr(0, token_length(rest));
  throw SyntaxError(offset_, token.size(), fmt::format("expected {}, found {}", what, shown(token)), std::move(hint));
}

void Scanner::fail_at(std::string_view where, const std::string& message, std::string hint) const {
  throw SyntaxError(std::size_t(where.data() - text_.data()), std::max<std::size_t>(where.size(), 1), message,
                    std::move(hint));
}

void Scanner::fail_at_end(const std::string& message) const { throw SyntaxError(end_of_content(text_), 1, message); }

int Scanner::line_of(std::size_t offset) const {
  return 1 + int(std::count(text_.begin(), text_.begin() + std::ptrdiff_t(offset), '\n'));
}

}  // namespace podsim::hlo::text
