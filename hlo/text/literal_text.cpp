// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/literal_text.h"

#include <fmt/format.h>

#include <charconv>

namespace podsim::hlo::text {
namespace {

bool is_integer_type(std::string_view type) { return type[0] == 's' || type[0] == 'u'; }

void skip_value(Scanner& scanner, std::string_view type) {
  const std::string_view word = scanner.word("a value");
  if (word == "true" || word == "false" || word == "inf" || word == "-inf") return;
  if (word == "nan" || word == "-nan") {
    if (scanner.accept('(')) {
      scanner.word("the bits of a nan");
      scanner.expect(')');
    }
    return;
  }
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [last, error] = std::from_chars(word.data(), end, value);
  if (error == std::errc::invalid_argument || last != end) {
    scanner.fail_at(word, fmt::format("'{}' is not a value of {}", word, type));
  }
  if (is_integer_type(type) && word.find_first_of(".e") != std::string_view::npos) {
    scanner.fail_at(word, fmt::format("'{}' is not a whole number, as {} needs", word, type));
  }
}

void skip_element(Scanner& scanner, std::string_view type) {
  if (type[0] != 'c' || !scanner.accept('(')) return skip_value(scanner, type);
  skip_value(scanner, "the real part");
  scanner.expect(',');
  skip_value(scanner, "the imaginary part");
  scanner.expect(')');
}

/// Skips the braces of dimension `level`, or a single element below the last dimension.
void skip_dimension(Scanner& scanner, const Shape& shape, std::string_view type, std::size_t level) {
  if (level == shape.dimensions.size()) return skip_element(scanner, type);
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  scanner.expect('{', fmt::format("of dimension {}", level));
  std::int64_t count = 0;
  while (!scanner.accept('}')) {
    if (scanner.accept("...")) {
      scanner.expect('}');
      return;
    }
    if (count > 0) scanner.expect(',', "between values");
    skip_dimension(scanner, shape, type, level + 1);
    ++count;
  }
  const bool dynamic = !shape.dynamic.empty() && shape.dynamic[level];
  if (count != shape.dimensions[level] && !dynamic) {
    scanner.fail_at(scanner.text().substr(begin, 1), fmt::format("dimension {} has {} values, the shape says {}", level,
                                                                 count, shape.dimensions[level]));
  }
}

}  // namespace

void skip_literal(Scanner& scanner, const ShapeTable& shapes, ShapeId id) {
  const Shape& shape = shapes[id];
  if (shape.is_tuple) {
    scanner.expect('(', "of a tuple's literal");
    for (std::size_t i = 0; i < shape.elements.size(); ++i) {
      if (i > 0) scanner.expect(',', "between literals");
      skip_literal(scanner, shapes, shape.elements[i]);
    }
    scanner.expect(')', "after a tuple's literal");
    return;
  }
  const bool empty = shapes.element_count(id) == 0;
  if (empty && scanner.peek() == '{') {
    scanner.balanced("a literal");
  } else if (scanner.peek() == '{' && shape.dimensions.empty()) {
    scanner.expect('{');
    scanner.expect("...", "of a value that is left out");
    scanner.expect('}');
  } else if (scanner.peek() == '{') {
    skip_dimension(scanner, shape, hlo::element_types()[std::size_t(shape.type)].name, 0);
  } else {
    skip_element(scanner, hlo::element_types()[std::size_t(shape.type)].name);
  }
}

}  // namespace podsim::hlo::text
