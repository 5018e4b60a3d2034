// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/type_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hlo/element_type.h"

namespace podsim::hlo::stablehlo {
namespace {

constexpr int deepest_tuple_type = 64;

bool is_element_type(std::string_view name) {
  const auto rows = hlo::element_types().first(std::size_t(hlo::ElementType::token));
  return std::ranges::any_of(rows, [name](const hlo::ElementTypeRow& row) { return row.name == name; });
}

std::string_view element_text(Cursor& cursor) {
  cursor.skip_space();
  const std::size_t begin = cursor.offset();
  cursor.identifier("an element type");
  if (cursor.offset() < cursor.text().size() && cursor.text()[cursor.offset()] == '<') cursor.bracketed();
  return cursor.text().substr(begin, cursor.offset() - begin);
}

[[noreturn]] void refuse_dynamic(Cursor& cursor, std::string_view text) {
  const bool bounded = cursor.balanced(">").find("bounds<") != std::string_view::npos;
  cursor.fail_at(text, bounded ? "a bounded dynamic size is not simulated" : "this size is known only at run time",
                 "lower the program with fixed shapes");
}

}  // namespace

std::string hlo_element(std::string_view mlir) {
  if (mlir == "i1") return "pred";
  if (mlir == "complex<f32>") return "c64";
  if (mlir == "complex<f64>") return "c128";
  std::string name;
  if (mlir.starts_with("ui")) {
    name = "u" + std::string(mlir.substr(2));
  } else if (mlir.starts_with("si")) {
    name = "s" + std::string(mlir.substr(2));
  } else if (mlir.starts_with("i")) {
    name = "s" + std::string(mlir.substr(1));
  } else {
    for (const char c : mlir) name += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  }
  return is_element_type(name) ? name : "";
}

TypeId TypeTable::add(Type type) {
  const auto [found, is_new] = by_hlo_.try_emplace(type.hlo + std::string(type.text), TypeId(types_.size()));
  if (is_new) types_.push_back(std::move(type));
  return found->second;
}

TypeId TypeTable::array(const std::string& element, std::vector<std::int64_t> dimensions) {
  std::string hlo = fmt::format("{}[{}]", element, fmt::join(dimensions, ","));
  return add({std::move(hlo), element, std::move(dimensions)});
}

/// The element type behind its '!'.
void TypeTable::read_quantised(Cursor& cursor, Type& type) {
  const std::size_t begin = cursor.offset();
  if (!cursor.accept_text("quant.uniform<")) {
    cursor.fail_at(cursor.balanced(",>"), "a foreign element type is not simulated",
                   "lower the program with plain integers, floats and !quant.uniform");
  }
  const std::string_view inside = cursor.balanced("");
  cursor.expect('>', "after a quantised type");
  const std::string_view whole = cursor.text().substr(begin, cursor.offset() - begin);
  const std::optional<quant::Quantisation> read = quant::read_quantisation(inside);
  if (!read) {
    cursor.fail_at(whole, "this quantised type is not of a known form",
                   "forms are !quant.uniform<i8:f32, 0.1:3> and, with an axis, !quant.uniform<i8:f32:1, {0.1:3, 0.2}>");
  }
  type.element = hlo_element(read->storage);
  const std::string expressed = hlo_element(read->expressed);
  const bool is_float = expressed == "f32" || expressed == "bf16" || expressed == "f16" || expressed == "f64";
  if (type.element.empty() || !is_float) cursor.fail_at(whole, "this quantised type is not of integers for floats");
  const std::size_t axis = std::size_t(std::max(read->axis, 0));
  const bool has_axis = read->axis >= 0;
  if (has_axis && (axis >= type.dimensions.size() || std::int64_t(read->scales.size()) != type.dimensions[axis])) {
    cursor.fail_at(whole, fmt::format("there are {} scales, which dimension {} has not", read->scales.size(), axis));
  }
  type.quantisation = std::make_shared<const quant::Quantisation>(*read);
  type.text = whole;
}

Type TypeTable::read_tensor(Cursor& cursor) {
  cursor.expect('<', "after 'tensor'");
  Type type;
  while (true) {
    const char c = cursor.peek();
    if (c == '?') refuse_dynamic(cursor, cursor.text().substr(cursor.offset(), 1));
    if (c < '0' || c > '9') break;
    type.dimensions.push_back(cursor.integer());
    if (!cursor.accept('x')) cursor.fail_expected("'x' after a size");
  }
  if (cursor.peek() == '*') {
    cursor.fail_at(cursor.text().substr(cursor.offset(), 1), "the number of dimensions is known only at run time",
                   "lower the program with fixed shapes");
  }
  if (cursor.accept('!')) {
    read_quantised(cursor, type);
  } else {
    const std::string_view element = element_text(cursor);
    type.element = hlo_element(element);
    if (type.element.empty()) cursor.fail_at(element, fmt::format("HLO has no element type '{}'", element));
  }
  if (cursor.accept(',')) cursor.balanced(">");
  cursor.expect('>', "after a tensor's type");
  type.hlo = fmt::format("{}[{}]", type.element, fmt::join(type.dimensions, ","));
  return type;
}

Type TypeTable::read_other(Cursor& cursor, int depth) {
  if (depth == deepest_tuple_type) cursor.fail_expected("fewer nested tuples");
  if (cursor.accept('!')) {
    const std::string_view name = cursor.identifier("a type");
    if (name.ends_with(".token")) return {"token[]", "", {}};
    cursor.fail_at(name, fmt::format("the type '!{}' has no form in HLO", name));
  }
  const std::string_view name = cursor.identifier("a type");
  if (name == "tensor") return read_tensor(cursor);
  if (name != "tuple") {
    cursor.fail_at(name, fmt::format("'{}' is not a type of StableHLO", name),
                   "values are tensors, tuples of tensors, and tokens");
  }
  cursor.expect('<', "after 'tuple'");
  std::vector<std::string> elements;
  if (!cursor.accept('>')) {
    do {
      cursor.skip_space();
      elements.push_back(read_other(cursor, depth + 1).hlo);
    } while (cursor.accept(','));
    cursor.expect('>', "after a tuple's types");
  }
  return {fmt::format("({})", fmt::join(elements, ", ")), "", {}};
}

TypeId TypeTable::read(Cursor& cursor) {
  cursor.skip_space();
  const std::string_view rest = cursor.text().substr(cursor.offset());
  std::string_view written;
  if (rest.starts_with("tensor<")) {
    // Most types have no bracket within.
    const std::size_t end = rest.find('>');
    if (end != std::string_view::npos) written = rest.substr(0, end + 1);
    if (const auto found = by_text_.find(written); found != by_text_.end() && !written.empty()) {
      cursor.move_to(cursor.offset() + written.size());
      return found->second;
    }
  }
  const std::size_t begin = cursor.offset();
  const TypeId id = add(read_other(cursor, 0));
  if (!written.empty() && cursor.offset() - begin == written.size()) by_text_.emplace(written, id);
  return id;
}

std::vector<TypeId> TypeTable::read_list(Cursor& cursor) {
  std::vector<TypeId> types;
  if (cursor.accept('(')) {
    if (cursor.accept(')')) return types;
    do {
      types.push_back(read(cursor));
    } while (cursor.accept(','));
    cursor.expect(')', "after the types");
    return types;
  }
  do {
    types.push_back(read(cursor));
  } while (cursor.peek_in_line() == ',' && cursor.accept(','));
  return types;
}

std::string TypeTable::tuple(const std::vector<TypeId>& types) const {
  std::string text = "(";
  for (std::size_t i = 0; i < types.size(); ++i) text += (i > 0 ? ", " : "") + (*this)[types[i]].hlo;
  return text + ")";
}

std::string TypeTable::results(const std::vector<TypeId>& types) const {
  return types.size() == 1 ? (*this)[types[0]].hlo : tuple(types);
}

}  // namespace podsim::hlo::stablehlo
