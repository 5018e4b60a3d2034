// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/data_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace podsim::hw::isa::pasm {
namespace {

using Kind = DataItem::Kind;

struct DataDirective {
  std::string_view name;
  Kind kind;
  bool names_type;          ///< the first argument is an element type
  std::size_t least, most;  ///< number of arguments, without the type
  std::string_view form;
};

constexpr std::size_t any_number = ~std::size_t(0);
constexpr DataDirective data_directives[] = {
    {".word", Kind::values, false, 1, any_number, ".word VALUE, ..."},
    {".f32", Kind::values, false, 1, any_number, ".f32 VALUE, ..."},
    {".bf16", Kind::values, false, 1, any_number, ".bf16 VALUE, ..."},
    {".zeros", Kind::zeros, false, 1, 1, ".zeros COUNT"},
    {".fill", Kind::fill, true, 2, 2, ".fill TYPE, COUNT, VALUE"},
    {".iota", Kind::iota, true, 1, 3, ".iota TYPE, COUNT[, FIRST[, STEP]]"},
    {".random", Kind::random, true, 2, 4, ".random TYPE, COUNT, SEED[, LOW, HIGH]"},
    {".repeat", Kind::repeat, false, 1, 1, ".repeat COUNT"},
};

const DataDirective* find(std::string_view name) {
  auto same = [&](const DataDirective& directive) { return directive.name == name; };
  auto found = std::find_if(std::begin(data_directives), std::end(data_directives), same);
  return found == std::end(data_directives) ? nullptr : found;
}

std::optional<ElementType> type_of(std::string_view word) {
  if (word == "word") return ElementType::word;
  if (word == "f32") return ElementType::f32;
  if (word == "bf16") return ElementType::bf16;
  return std::nullopt;
}

ElementType parse_type(Cursor& cursor, const DataDirective& directive) {
  Token token = cursor.peek();
  if (std::optional<ElementType> type = type_of(cursor.text(token))) {
    cursor.next();
    return *type;
  }
  const std::vector<std::string> types{"word", "f32", "bf16"};
  std::string hint = base::did_you_mean(cursor.text(token), types);
  cursor.report().fail(token.span,
                       fmt::format("a type is due here, word, f32 or bf16, not {}", cursor.described(token)),
                       hint.empty() ? fmt::format("the form is {}", directive.form) : hint);
}

}  // namespace

bool is_data_directive(std::string_view directive) { return find(directive) != nullptr; }

DataItem parse_data(Cursor& cursor) {
  Token token = cursor.next();
  const DataDirective& directive = *find(cursor.text(token));
  DataItem item;
  item.kind = directive.kind;
  item.span = token.span;
  if (directive.names_type) {
    item.type = parse_type(cursor, directive);
    cursor.expect(",", " behind the type");
  } else if (directive.kind == Kind::values) {
    item.type = *type_of(directive.name.substr(1));
  }
  do {
    item.arguments.push_back(cursor.expression());
  } while (cursor.accept(","));
  std::size_t count = item.arguments.size();
  bool pair = directive.kind == Kind::random && count == 3;  // LOW without HIGH
  if (count < directive.least || count > directive.most || pair) {
    cursor.report().fail(token.span, fmt::format("{} has {} arguments here", directive.name, count),
                         fmt::format("the form is {}", directive.form));
  }
  return item;
}

}  // namespace podsim::hw::isa::pasm
