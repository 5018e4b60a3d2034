// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/cursor.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <utility>

namespace podsim::hlo::stablehlo {
namespace {

bool is_value_character(char c) { return is_word_character(c) || c == '-'; }

char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>'; }

}  // namespace

Fault::Fault(std::size_t fault_offset, std::size_t fault_length, const std::string& message, std::string fault_hint)
    : std::runtime_error(message), offset(fault_offset), length(fault_length), hint(std::move(fault_hint)) {}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}

bool Cursor::skip_space() {
  while (offset_ < text_.size()) {
    const char c = text_[offset_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++offset_;
    } else if (c == '/' && offset_ + 1 < text_.size() && text_[offset_ + 1] == '/') {
      offset_ = std::min(text_.find('\n', offset_), text_.size());
    } else {
      return true;
    }
  }
  return false;
}

void Cursor::skip_blanks() {
  while (offset_ < text_.size() && (text_[offset_] == ' ' || text_[offset_] == '\t')) ++offset_;
}

char Cursor::peek_in_line() {
  skip_blanks();
  return offset_ < text_.size() ? text_[offset_] : '\0';
}

bool Cursor::accept(char c) {
  if (!skip_space() || text_[offset_] != c) return false;
  ++offset_;
  return true;
}

bool Cursor::accept_text(std::string_view word) {
  if (!skip_space() || !text_.substr(offset_).starts_with(word)) return false;
  offset_ += word.size();
  return true;
}

bool Cursor::accept_word(std::string_view word) {
  const std::size_t begin = offset_;
  if (!accept_text(word)) return false;
  if (offset_ == text_.size() || !is_word_character(text_[offset_])) return true;
  offset_ = begin;
  return false;
}

void Cursor::expect(char c, std::string_view where) {
  if (!accept(c)) fail_expected(fmt::format("'{}'{}{}", c, where.empty() ? "" : " ", where));
}

void Cursor::expect_text(std::string_view word) {
  if (!accept_text(word)) fail_expected(fmt::format("'{}'", word));
}

std::string_view Cursor::identifier(std::string_view what) {
  skip_space();
  const std::size_t begin = offset_;
  while (offset_ < text_.size() && is_word_character(text_[offset_])) ++offset_;
  if (offset_ == begin) fail_expected(what);
  return text_.substr(begin, offset_ - begin);
}

std::string_view Cursor::value_name() {
  if (peek() != '%') fail_expected("a value such as %0");
  const std::size_t begin = offset_++;
  while (offset_ < text_.size() && is_value_character(text_[offset_])) ++offset_;
  if (offset_ == begin + 1) fail_expected("a value's name after '%'");
  if (offset_ < text_.size() && text_[offset_] == '#') {
    ++offset_;
    while (offset_ < text_.size() && text_[offset_] >= '0' && text_[offset_] <= '9') ++offset_;
  }
  return text_.substr(begin, offset_ - begin);
}

std::string_view Cursor::symbol() {
  expect('@', "of a symbol");
  if (offset_ < text_.size() && text_[offset_] == '"') return quoted();
  const std::size_t begin = offset_;
  while (offset_ < text_.size() && is_value_character(text_[offset_])) ++offset_;
  if (offset_ == begin) fail_expected("a name after '@'");
  return text_.substr(begin, offset_ - begin);
}

std::string_view Cursor::quoted() {
  expect('"', "of a string");
  const std::size_t begin = offset_;
  while (offset_ < text_.size() && text_[offset_] != '"') offset_ += text_[offset_] == '\\' ? 2 : 1;
  if (offset_ >= text_.size()) throw Fault(begin - 1, 1, "this string has no end");
  return text_.substr(begin, offset_++ - begin);
}

std::int64_t Cursor::integer() {
  skip_space();
  std::int64_t value = 0;
  const char* begin = text_.data() + offset_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error != std::errc()) fail_expected("a whole number within 64 bits");
  offset_ += std::size_t(end - begin);
  return value;
}

void Cursor::skip_bracketed(int depth) {
  const std::size_t begin = offset_;
  if (depth == deepest_nesting) throw Fault(begin, 1, "brackets are nested too deep");
  const char close = closing(text_[offset_++]);
  while (offset_ < text_.size()) {
    const char c = text_[offset_];
    if (c == close) {
      ++offset_;
      return;
    }
    if (c == '"') {
      quoted();
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      skip_bracketed(depth + 1);
    } else if (c == '-' && text_.substr(offset_).starts_with("->")) {
      offset_ += 2;
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      break;
    } else {
      ++offset_;
    }
  }
  throw Fault(begin, 1, fmt::format("this '{}' is not closed", text_[begin]));
}

std::string_view Cursor::bracketed() {
  const char c = peek();
  if (c != '(' && c != '[' && c != '{' && c != '<') fail_expected("a bracket");
  const std::size_t begin = offset_;
  skip_bracketed(0);
  return text_.substr(begin, offset_ - begin);
}

std::string_view Cursor::balanced(std::string_view ends) {
  skip_space();
  const std::size_t begin = offset_;
  while (offset_ < text_.size()) {
    const char c = text_[offset_];
    if (c == '"') {
      quoted();
    } else if (c == '-' && text_.substr(offset_).starts_with("->")) {
      offset_ += 2;
    } else if (c == ')' || c == ']' || c == '}' || c == '>' || (ends.find(c) != ends.npos && offset_ > begin)) {
      break;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      skip_bracketed(0);
    } else {
      ++offset_;
    }
  }
  std::size_t end = offset_;
  while (end > begin && (text_[end - 1] == ' ' || text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  if (end == begin) fail_expected("a value");
  return text_.substr(begin, end - begin);
}

void Cursor::fail_expected(std::string_view what, std::string hint) {
  if (!skip_space()) {
    const std::size_t last = text_.find_last_not_of(" \t\r\n");
    throw Fault(last == std::string_view::npos ? 0 : last, 1, fmt::format("the text ends where {} was expected", what),
                std::move(hint));
  }
  throw Fault(offset_, 1, fmt::format("expected {}", what), std::move(hint));
}

void Cursor::fail_at(std::string_view where, const std::string& message, std::string hint) const {
  const bool inside =
      !std::less<>{}(where.data(), text_.data()) && std::less<>{}(where.data(), text_.data() + text_.size());
  throw Fault(inside ? std::size_t(where.data() - text_.data()) : offset_, where.size(), message, std::move(hint));
}

}  // namespace podsim::hlo::stablehlo
