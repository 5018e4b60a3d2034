// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/operation_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace podsim::hlo::stablehlo {

std::string_view OperationParser::location() {
  if (cursor_.peek_in_line() != 'l' || !cursor_.accept_word("loc")) return {};
  return cursor_.bracketed();
}

Attributes OperationParser::dictionary() {
  Attributes attributes;
  cursor_.expect('{', "of attributes");
  while (!cursor_.accept('}')) {
    NamedValue made;
    made.name = cursor_.peek() == '"' ? cursor_.quoted() : cursor_.identifier("an attribute's name");
    if (cursor_.accept('=')) made.value = cursor_.balanced(",");
    attributes.push_back(made);
    if (!cursor_.accept(',') && cursor_.peek() != '}') cursor_.fail_expected("',' or '}' after an attribute");
  }
  return attributes;
}

Argument OperationParser::argument() {
  Argument made;
  made.name = cursor_.value_name();
  cursor_.expect(':', "after an argument's name");
  made.type = types_.read(cursor_);
  if (cursor_.peek_in_line() == '{') made.attributes = dictionary();
  made.location = location();
  return made;
}

Region OperationParser::region() {
  Region made;
  cursor_.expect('{', "of a region");
  made.begin = cursor_.text().substr(cursor_.offset() - 1, 1);
  if (++depth_ > deepest_nesting) cursor_.fail_expected("regions that are nested less deep");
  if (cursor_.accept('^')) {
    cursor_.identifier("a block's name");
    if (cursor_.accept('(') && !cursor_.accept(')')) {
      do {
        made.arguments.push_back(argument());
      } while (cursor_.accept(','));
      cursor_.expect(')', "after a block's arguments");
    }
    cursor_.expect(':', "after a block's arguments");
  }
  while (!cursor_.accept('}')) {
    if (cursor_.peek() == '^') cursor_.fail_expected("one block in a region", "StableHLO has no jumps between blocks");
    made.operations.push_back(operation());
  }
  --depth_;
  return made;
}

std::vector<Definition> OperationParser::definitions() {
  std::vector<Definition> made;
  if (cursor_.peek() != '%') return made;
  do {
    const std::string_view name = cursor_.value_name();
    made.push_back({name, 1});
    if (cursor_.accept(':')) {
      const std::int64_t count = cursor_.integer();
      if (count < 1 || count > 1'000'000) cursor_.fail_at(name, "the number of results is at least 1");
      made.back().count = int(count);
    }
  } while (cursor_.accept(','));
  cursor_.expect('=', "after the results");
  return made;
}

Operation OperationParser::operation() {
  Operation made;
  made.results = definitions();
  if (cursor_.peek() == '"') {
    made.name = cursor_.quoted();
    generic_form(made);
  } else {
    made.name = cursor_.identifier("an operation");
    if (made.name == "stablehlo.while") {
      while_form(made);
    } else if (made.name == "stablehlo.reduce") {
      reduce_form(made);
    } else if (made.name == "sdy.manual_computation") {
      manual_form(made);
    } else if (made.name == "chlo.scan") {
      scan_form(made);
    } else {
      pretty_form(made);
    }
  }
  if (made.location.empty()) made.location = location();
  return made;
}

void OperationParser::append_dictionary(Operation& made) {
  Attributes attributes = dictionary();
  made.attributes.insert(made.attributes.end(), attributes.begin(), attributes.end());
}

void OperationParser::add_operands(Operation& made) {
  cursor_.expect('(', "of the operands");
  if (cursor_.accept(')')) return;
  do {
    made.operands.push_back(cursor_.value_name());
  } while (cursor_.accept(','));
  cursor_.expect(')', "after the operands");
}

void OperationParser::generic_form(Operation& made) {
  add_operands(made);
  if (cursor_.accept_text("<{")) {
    cursor_.move_to(cursor_.offset() - 1);
    append_dictionary(made);
    cursor_.expect('>', "after the properties");
  }
  if (cursor_.accept('(')) {
    do {
      made.regions.push_back(region());
    } while (cursor_.accept(','));
    cursor_.expect(')', "after the regions");
  }
  if (cursor_.peek() == '{') append_dictionary(made);
  cursor_.expect(':', "before the types");
  types(made);
}

/// Reads "(types) -> types", "type -> types", or types that are those of the operands and results.
void OperationParser::types(Operation& made) {
  std::vector<TypeId> first = types_.read_list(cursor_);
  made.operand_types = first;
  std::size_t count = 0;
  for (const Definition& result : made.results) count += std::size_t(result.count);
  if (cursor_.accept_text("->")) {
    first = types_.read_list(cursor_);
  } else if (count > 0 && first.size() > count) {
    first.erase(first.begin(), first.end() - std::ptrdiff_t(count));  // as select, whose last type is its result's
  }
  made.result_types = std::move(first);
}

void OperationParser::named_item(Operation& made, std::string_view name) {
  if (cursor_.peek_in_line() == '<' && name.starts_with("dense")) {
    const std::string_view value = cursor_.bracketed();
    made.attributes.push_back({"value", {name.data(), std::size_t(value.data() + value.size() - name.data())}});
  } else if (cursor_.peek_in_line() == '=') {
    cursor_.accept('=');
    const char open = cursor_.peek_in_line();
    made.attributes.push_back({name, open == '{' ? cursor_.bracketed() : cursor_.balanced(",:{\n")});
  } else {
    made.words.push_back(name);
  }
}

/// Reads one part of a pretty form. Returns false at its end.
bool OperationParser::pretty_item(Operation& made) {
  const char c = cursor_.peek_in_line();
  switch (c) {
    case '%':
      made.operands.push_back(cursor_.value_name());
      return true;
    case ',':
    case '(':
    case ')':
      cursor_.accept(c);
      return true;
    case '@':
      made.callee = cursor_.symbol();
      return true;
    case '"':
      made.words.push_back(cursor_.quoted());
      return true;
    case '{':
      append_dictionary(made);
      return true;
    case '[':
    case '<':
      made.brackets = cursor_.bracketed();
      return true;
    default:
      if (!is_word_character(c)) return false;
      named_item(made, cursor_.identifier("a word"));
      return true;
  }
}

void OperationParser::pretty_form(Operation& made) {
  while (pretty_item(made)) {
    if (!made.words.empty() && made.words.back() == "loc") {
      made.words.pop_back();
      made.location = cursor_.bracketed();
      return;
    }
  }
  const char next = cursor_.peek_in_line();
  if (next == ':') {
    cursor_.accept(':');
    types(made);
    return;
  }
  if (next != '\n' && next != '\r' && next != '}' && next != '/' && next != '\0') {
    cursor_.fail_expected(fmt::format("the end of {}", made.name));
  }
}

/// Reads "(%iter = %init, ...) : types attributes {...} cond {...} do {...}".
void OperationParser::while_form(Operation& made) {
  Region condition, body;
  cursor_.expect('(', "of the loop's values");
  if (!cursor_.accept(')')) {
    do {
      condition.arguments.push_back({cursor_.value_name(), 0, {}, {}});
      cursor_.expect('=', "after a loop's value");
      made.operands.push_back(cursor_.value_name());
    } while (cursor_.accept(','));
    cursor_.expect(')', "after the loop's values");
  }
  if (cursor_.accept(':')) types(made);
  if (made.operand_types.size() != made.operands.size()) {
    cursor_.fail_at(
        made.name, fmt::format("the loop has {} values and {} types", made.operands.size(), made.operand_types.size()));
  }
  for (std::size_t i = 0; i < made.operands.size(); ++i) condition.arguments[i].type = made.operand_types[i];
  if (cursor_.accept_word("attributes")) append_dictionary(made);
  cursor_.expect_text("cond");
  std::vector<Argument> arguments = std::move(condition.arguments);
  condition = region();
  condition.arguments = arguments;
  cursor_.expect_text("do");
  body = region();
  body.arguments = std::move(arguments);
  made.regions.push_back(std::move(condition));
  made.regions.push_back(std::move(body));
}

/// Reads "(%x init: %c), ... applies OP across dimensions = [...] : types", or with "reducer(...) {...}" at its end.
void OperationParser::reduce_form(Operation& made) {
  std::vector<std::string_view> initial;
  do {
    cursor_.expect('(', "of an array and its initial value");
    made.operands.push_back(cursor_.value_name());
    cursor_.expect_text("init");
    cursor_.expect(':', "after 'init'");
    initial.push_back(cursor_.value_name());
    cursor_.expect(')', "after an initial value");
  } while (cursor_.accept(','));
  made.operands.insert(made.operands.end(), initial.begin(), initial.end());
  if (cursor_.accept_word("applies")) made.callee = cursor_.identifier("an operation");
  cursor_.expect_text("across");
  cursor_.expect_text("dimensions");
  cursor_.expect('=', "after 'dimensions'");
  made.attributes.push_back({"dimensions", cursor_.bracketed()});
  if (cursor_.peek() == '{') append_dictionary(made);
  cursor_.expect(':', "before the types");
  types(made);
  if (!made.callee.empty()) return;
  made.location = location();
  cursor_.expect_text("reducer");
  std::vector<Argument> accumulated, elements;
  while (cursor_.accept('(')) {
    accumulated.push_back(argument());
    cursor_.expect(',', "between the two arguments");
    elements.push_back(argument());
    cursor_.expect(')', "after the two arguments");
  }
  Region body = region();
  body.arguments = std::move(accumulated);
  body.arguments.insert(body.arguments.end(), elements.begin(), elements.end());
  made.regions.push_back(std::move(body));
}

/// Reads "(%x, ...) inits (%c, ...) dimension=0 attributes {...} {...} : types".
void OperationParser::scan_form(Operation& made) {
  add_operands(made);
  cursor_.expect_text("inits");
  add_operands(made);
  cursor_.expect_text("dimension");
  cursor_.expect('=', "after 'dimension'");
  made.attributes.push_back({"dimension", cursor_.balanced("{:\n \t")});
  if (cursor_.accept_word("attributes")) append_dictionary(made);
  made.regions.push_back(region());
  cursor_.expect(':', "before the types");
  types(made);
}

/// Reads "(%a) in_shardings=[...] out_shardings=[...] manual_axes={...} (%arg: type) {...} : types".
void OperationParser::manual_form(Operation& made) {
  add_operands(made);
  for (const std::string_view name : {"in_shardings", "out_shardings", "manual_axes"}) {
    cursor_.expect_text(name);
    cursor_.expect('=');
    made.attributes.push_back({name, cursor_.bracketed()});
  }
  std::vector<Argument> arguments;
  cursor_.expect('(', "of the arguments");
  if (!cursor_.accept(')')) {
    do {
      arguments.push_back(argument());
    } while (cursor_.accept(','));
    cursor_.expect(')', "after the arguments");
  }
  Region body = region();
  body.arguments = std::move(arguments);
  made.regions.push_back(std::move(body));
  cursor_.expect(':', "before the types");
  types(made);
}

}  // namespace podsim::hlo::stablehlo
