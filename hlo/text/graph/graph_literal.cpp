// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/graph/graph_literal.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace podsim::hlo::text::graph {
namespace {

/// Reads the text in one pass. Braces and commas only separate values, since the nesting has been checked.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : next_(text.data()), end_(text.data() + text.size()) {}

  hlo::Literal read(const hlo::Shape& shape) {
    hlo::Literal literal = hlo::make_zeros(shape);
    if (shape.is_tuple()) {
      skip_separators("(");
      for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) literal.elements[i] = read(shape.tuple_shapes[i]);
      skip_separators(")");
      return literal;
    }
    skip_separators("");
    if (next_ != end_ && *next_ == '{') {
      read_nested(literal);
    } else {
      read_element(literal, 0);
      std::ranges::fill(literal.integers, literal.integers.empty() ? 0 : literal.integers[0]);
      const std::size_t width = hlo::is_complex(shape.element_type) ? 2 : 1;
      for (std::size_t i = width; i < literal.values.size(); ++i) literal.values[i] = literal.values[i - width];
    }
    return literal;
  }

 private:
  /// Skips white space, commas, comments and the characters in `more`.
  void skip_separators(std::string_view more) {
    while (next_ != end_) {
      const char c = *next_;
      if (c == '/') {
        skip_comment();
      } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',' || more.find(c) != more.npos) {
        ++next_;
      } else {
        return;
      }
    }
  }

  void skip_comment() {
    const std::string_view rest(next_, std::size_t(end_ - next_));
    const bool line = rest.starts_with("//");
    const std::size_t end = line ? rest.find('\n') : rest.find("*/", 2);
    next_ = end == rest.npos ? end_ : next_ + end + (line ? 1 : 2);
  }

  void read_nested(hlo::Literal& literal) {
    std::int64_t position = 0;
    int depth = 0;
    do {
      skip_separators("");
      if (next_ == end_) return;
      if (*next_ == '{') {
        ++depth;
        ++next_;
      } else if (*next_ == '}') {
        --depth;
        ++next_;
      } else {
        read_element(literal, position++);
      }
    } while (depth > 0);
  }

  void read_element(hlo::Literal& literal, std::int64_t position) {
    const hlo::ElementType type = literal.shape.element_type;
    if (hlo::is_wide(type)) {
      const std::int64_t value = read_integer(type);
      if (position < std::int64_t(literal.integers.size())) literal.integers[std::size_t(position)] = value;
      return;
    }
    const bool complex = hlo::is_complex(type);
    const bool pair = complex && next_ != end_ && *next_ == '(';
    if (pair) ++next_;
    const std::int64_t at = complex ? 2 * position : position;
    store(literal, at, read_number(type));
    if (!pair) return;
    skip_separators("");
    store(literal, at + 1, read_number(type));
    skip_separators(")");
  }

  static void store(hlo::Literal& literal, std::int64_t position, double value) {
    if (position < std::int64_t(literal.values.size())) literal.values[std::size_t(position)] = value;
  }

  std::string_view word() {
    skip_separators("");
    const char* begin = next_;
    while (next_ != end_ && std::string_view(",{}() \n\t\r").find(*next_) == std::string_view::npos) ++next_;
    const std::string_view word(begin, std::size_t(next_ - begin));
    if (word.ends_with("nan") && next_ != end_ && *next_ == '(') {
      next_ = std::find(next_, end_, ')');
      if (next_ != end_) ++next_;
    }
    return word;
  }

  std::int64_t read_integer(hlo::ElementType type) {
    const std::string_view text = word();
    const char* end = text.data() + text.size();
    if (type == hlo::ElementType::u64 && !text.starts_with('-')) {
      std::uint64_t value = 0;
      std::from_chars(text.data(), end, value);
      return std::int64_t(value);
    }
    std::int64_t value = 0;
    std::from_chars(text.data(), end, value);
    return value;
  }

  double read_number(hlo::ElementType type) {
    const std::string_view text = word();
    if (text == "true") return 1;
    if (text == "false") return 0;
    if (type == hlo::ElementType::f32 || type == hlo::ElementType::c64) return parse<float>(text);
    const double value = parse<double>(text);
    return type == hlo::ElementType::c128 ? value : hlo::round_to(type, value);
  }

  template <class Number>
  static double parse(std::string_view text) {
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc::result_out_of_range) return double(value);
    // Too large or too small: from_chars leaves the value unchanged.
    const std::size_t exponent = text.find_first_of("eE");
    const bool small = exponent != text.npos && text.substr(exponent + 1).starts_with('-');
    const double size = small ? 0 : std::numeric_limits<double>::infinity();
    return text.starts_with('-') ? -size : size;
  }

  const char* next_;
  const char* end_;
};

constexpr std::int64_t max_unwritten = 1 << 24;

/// True if an array has far more elements than its text can hold.
bool is_too_large(const hlo::Shape& shape, std::size_t text) {
  return shape.element_count() > std::max(max_unwritten, std::int64_t(text)) ||
         std::ranges::any_of(shape.tuple_shapes, [text](const hlo::Shape& part) { return is_too_large(part, text); });
}

}  // namespace

std::optional<hlo::Literal> read_graph_literal(std::string_view text, const hlo::Shape& shape) {
  if (text.find("...") != text.npos || is_too_large(shape, text.size())) return std::nullopt;
  return LiteralReader(text).read(shape);
}

}  // namespace podsim::hlo::text::graph
