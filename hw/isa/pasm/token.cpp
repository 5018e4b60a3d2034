// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/token.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text/utf8.h"

namespace podsim::hw::isa::pasm {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c) || c == '.'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Tokenizer {
 public:
  explicit Tokenizer(Report& report) : report_(report), text_(report.text()) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) next();
    add(Token::Kind::line_end, 0);
    add(Token::Kind::end, 0);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::size_t run_of(bool (*belongs)(char), std::size_t from) const {
    while (from < text_.size() && belongs(text_[from])) ++from;
    return from;
  }

  Token& add(Token::Kind kind, std::size_t length) {
    Token token;
    token.kind = kind;
    token.span = {at_, length};
    tokens_.push_back(token);
    at_ += length;
    return tokens_.back();
  }

  void next() {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '\n') {
      add(Token::Kind::line_end, 1);
    } else if (c == '/' && peek(1) == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (begins_name(c)) {
      add(Token::Kind::identifier, run_of(continues_name, at_) - at_);
    } else if (c == '.' && begins_name(peek(1))) {
      add(Token::Kind::directive, run_of(continues_name, at_ + 1) - at_);
    } else if (is_digit(c)) {
      number();
    } else if (c == '"') {
      string();
    } else {
      punctuation();
    }
  }

  void punctuation() {
    bool shift = (peek() == '<' || peek() == '>') && peek(1) == peek();
    if (shift || std::string_view("{};,[]:=+-*/()@!").find(peek()) != std::string_view::npos) {
      add(Token::Kind::punctuation, shift ? 2 : 1);
      return;
    }
    std::size_t length = base::text::utf8_characters(text_.substr(at_, 4)).front().size();
    std::string hint = peek() == '#' ? "comments begin with //" : "";
    report_.error({at_, length}, "this character has no meaning here", hint);
    at_ = peek() == '#' ? std::min(text_.find('\n', at_), text_.size()) : at_ + length;
  }

  /// Returns the offset after the number that begins here, including an exponent and its sign.
  std::size_t number_end() const {
    bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'f');
    std::size_t end = at_;
    while (end < text_.size()) {
      bool exponent = !hex && end > at_ && (text_[end - 1] == 'e' || text_[end - 1] == 'E');
      bool sign = exponent && (text_[end] == '+' || text_[end] == '-');
      if (!continues_name(text_[end]) && !sign) break;
      ++end;
    }
    return end;
  }

  void number() {
    std::string_view word = text_.substr(at_, number_end() - at_);
    Span span{at_, word.size()};
    if (word.starts_with("0x")) return integer(span, word.substr(2), 16);
    if (word.starts_with("0b")) return integer(span, word.substr(2), 2);
    if (word.starts_with("0f")) return float_bits(span, word.substr(2));
    if (std::all_of(word.begin(), word.end(), is_digit)) return integer(span, word, 10);
    double value = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return no_number(span, "");
    add(Token::Kind::real, word.size()).real = value;
  }

  void integer(Span span, std::string_view digits, int base) {
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error == std::errc::result_out_of_range) {
      report_.error(span, fmt::format("{} is more than 64 bits hold", report_.text(span)));
    } else if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '-') {
      return no_number(span, "");
    }
    Token& token = add(Token::Kind::integer, span.length);
    token.integer = value;
    token.hex = base != 10;
  }

  void float_bits(Span span, std::string_view digits) {
    std::uint32_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    bool all = error == std::errc() && end == digits.data() + digits.size();
    if (!all || digits.size() != 8) return no_number(span, "a float by its bits is 0f and eight hex digits");
    add(Token::Kind::float_bits, span.length).integer = value;
  }

  /// Reports a malformed number, and replaces it by 0 so that the surrounding text can still be parsed.
  void no_number(Span span, std::string hint) {
    report_.error(span, fmt::format("'{}' is not a number", report_.text(span)), std::move(hint));
    add(Token::Kind::integer, span.length);
  }

  void string() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += escape_length(end);
    end = std::min(end, text_.size());
    if (end == text_.size() || text_[end] == '\n') {
      report_.error({at_, end - at_}, "this string has no end", "strings end on the line on which they begin");
      add(Token::Kind::string, end - at_);
      return;
    }
    add(Token::Kind::string, end + 1 - at_);
  }

  std::size_t escape_length(std::size_t at) {
    if (text_[at] != '\\' || at + 1 >= text_.size() || text_[at + 1] == '\n') return 1;
    char c = text_[at + 1];
    bool byte = c == 'x' && at + 3 < text_.size() && hex_digit(text_[at + 2]) >= 0 && hex_digit(text_[at + 3]) >= 0;
    if (byte) return 4;
    if (c != '"' && c != '\\' && c != 'n' && c != 't') {
      report_.error({at, 2}, "this escape has no meaning", R"(strings know \" \\ \n \t and \xHH)");
    }
    return 2;
  }

  Report& report_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(Report& report) { return Tokenizer(report).run(); }

std::string decode_string(std::string_view quoted) {
  std::string text;
  std::string_view inside = quoted.substr(1, quoted.size() - 2);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      text += inside[i];
      continue;
    }
    char c = inside[++i];
    if (c == 'x' && i + 2 < inside.size()) {
      text += char(hex_digit(inside[i + 1]) * 16 + hex_digit(inside[i + 2]));
      i += 2;
    } else {
      text += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
  }
  return text;
}

std::string encode_string(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

bool is_identifier(std::string_view text) {
  return !text.empty() && begins_name(text.front()) && std::all_of(text.begin(), text.end(), continues_name);
}

}  // namespace podsim::hw::isa::pasm
