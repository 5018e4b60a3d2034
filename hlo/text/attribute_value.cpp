// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/attribute_value.h"

#include <fmt/format.h>

#include <charconv>

#include "hlo/text/value_list.h"

namespace podsim::hlo::text {

Integers read_integers(Scanner& scanner) {
  if (scanner.peek() != '{') return {scanner.integer("a number or '{'")};
  return read_bracketed(scanner, '{', '}');
}

Integers read_slice_sizes(Scanner& scanner) {
  Scanner ahead = scanner;
  if (!ahead.accept('{') || ahead.peek() != '{') return read_integers(scanner);
  Integers sizes;
  for (const Integers& slice : read_pairs(scanner)) sizes.insert(sizes.end(), slice.begin(), slice.end());
  return sizes;
}

bool read_boolean(Scanner& scanner) {
  if (scanner.accept("true") || scanner.accept("1")) return true;
  if (!scanner.accept("false") && !scanner.accept("0")) scanner.fail_expected("true or false");
  return false;
}

double read_number(Scanner& scanner) {
  const std::string_view word = scanner.word("a number");
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || end != word.data() + word.size()) {
    scanner.fail_at(word, fmt::format("'{}' is not a number", word));
  }
  return value;
}

std::vector<std::string_view> read_names(Scanner& scanner) {
  if (scanner.peek() != '{') return {scanner.name("a name")};
  std::vector<std::string_view> names;
  read_list(scanner, '{', '}', [&] { names.push_back(scanner.name("a name")); });
  return names;
}

std::vector<Field> read_fields(Scanner& scanner) {
  std::vector<Field> fields;
  scanner.expect('{');
  while (!scanner.accept('}')) {
    const std::string_view name = scanner.word("a field's name");
    scanner.expect('=', "after a field's name");
    const bool quoted = scanner.peek() == '"';
    fields.push_back({name, quoted ? scanner.quoted("a value") : scanner.balanced("a value")});
    scanner.accept(',');
  }
  return fields;
}

std::vector<Alias> read_aliases(Scanner& scanner) {
  std::vector<Alias> aliases;
  read_list(scanner, '{', '}', [&] {
    Alias alias;
    alias.output_index = read_bracketed(scanner, '{', '}');
    scanner.expect(':', "after an output's index");
    scanner.expect('(');
    alias.operand = scanner.integer("a number of a parameter or operand");
    scanner.expect(',');
    alias.operand_index = read_bracketed(scanner, '{', '}');
    if (scanner.accept(',')) {
      const std::string_view kind = scanner.name("may-alias or must-alias");
      if (kind != "may-alias" && kind != "must-alias") scanner.fail_at(kind, "expected may-alias or must-alias");
      alias.must = kind == "must-alias";
    }
    scanner.expect(')');
    aliases.push_back(std::move(alias));
  });
  return aliases;
}

}  // namespace podsim::hlo::text
