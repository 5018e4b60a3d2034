// SPDX-License-Identifier: Apache-2.0
// Part of hlo/stablehlo/operation_table.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hlo/stablehlo/operation_table.h"

namespace podsim::hlo::stablehlo {
namespace {

struct OpcodeName {
  std::string_view mlir, hlo;
};

constexpr auto opcode_names = std::to_array<OpcodeName>({
    {"chlo.acos", "acos"},
    {"chlo.acosh", "acosh"},
    {"chlo.asin", "asin"},
    {"chlo.asinh", "asinh"},
    {"chlo.atanh", "atanh"},
    {"chlo.cosh", "cosh"},
    {"chlo.erf", "erf"},
    {"chlo.sinh", "sinh"},
    {"chlo.tan", "tan"},
    {"stablehlo.abs", "abs"},
    {"stablehlo.add", "add"},
    {"stablehlo.and", "and"},
    {"stablehlo.atan2", "atan2"},
    {"stablehlo.bitcast_convert", "bitcast-convert"},
    {"stablehlo.cbrt", "cbrt"},
    {"stablehlo.ceil", "ceil"},
    {"stablehlo.clamp", "clamp"},
    {"stablehlo.complex", "complex"},
    {"stablehlo.convert", "convert"},
    {"stablehlo.cosine", "cosine"},
    {"stablehlo.count_leading_zeros", "count-leading-zeros"},
    {"stablehlo.divide", "divide"},
    {"stablehlo.exponential", "exponential"},
    {"stablehlo.exponential_minus_one", "exponential-minus-one"},
    {"stablehlo.floor", "floor"},
    {"stablehlo.imag", "imag"},
    {"stablehlo.is_finite", "is-finite"},
    {"stablehlo.log", "log"},
    {"stablehlo.log_plus_one", "log-plus-one"},
    {"stablehlo.logistic", "logistic"},
    {"stablehlo.maximum", "maximum"},
    {"stablehlo.minimum", "minimum"},
    {"stablehlo.multiply", "multiply"},
    {"stablehlo.negate", "negate"},
    {"stablehlo.not", "not"},
    {"stablehlo.or", "or"},
    {"stablehlo.popcnt", "popcnt"},
    {"stablehlo.power", "power"},
    {"stablehlo.real", "real"},
    {"stablehlo.remainder", "remainder"},
    {"stablehlo.reshape", "reshape"},
    {"stablehlo.round_nearest_afz", "round-nearest-afz"},
    {"stablehlo.round_nearest_even", "round-nearest-even"},
    {"stablehlo.rsqrt", "rsqrt"},
    {"stablehlo.shift_left", "shift-left"},
    {"stablehlo.shift_right_arithmetic", "shift-right-arithmetic"},
    {"stablehlo.shift_right_logical", "shift-right-logical"},
    {"stablehlo.sign", "sign"},
    {"stablehlo.sine", "sine"},
    {"stablehlo.sqrt", "sqrt"},
    {"stablehlo.subtract", "subtract"},
    {"stablehlo.tan", "tan"},
    {"stablehlo.tanh", "tanh"},
    {"stablehlo.xor", "xor"},
});
static_assert(std::ranges::is_sorted(opcode_names, {}, &OpcodeName::mlir));

/// Operations that broadcast their operands first, and those that they are then.
constexpr auto broadcasting = std::to_array<OpcodeName>({
    {"chlo.broadcast_add", "stablehlo.add"},
    {"chlo.broadcast_and", "stablehlo.and"},
    {"chlo.broadcast_atan2", "stablehlo.atan2"},
    {"chlo.broadcast_compare", "stablehlo.compare"},
    {"chlo.broadcast_complex", "stablehlo.complex"},
    {"chlo.broadcast_divide", "stablehlo.divide"},
    {"chlo.broadcast_maximum", "stablehlo.maximum"},
    {"chlo.broadcast_minimum", "stablehlo.minimum"},
    {"chlo.broadcast_multiply", "stablehlo.multiply"},
    {"chlo.broadcast_or", "stablehlo.or"},
    {"chlo.broadcast_power", "stablehlo.power"},
    {"chlo.broadcast_remainder", "stablehlo.remainder"},
    {"chlo.broadcast_select", "stablehlo.select"},
    {"chlo.broadcast_shift_left", "stablehlo.shift_left"},
    {"chlo.broadcast_shift_right_arithmetic", "stablehlo.shift_right_arithmetic"},
    {"chlo.broadcast_shift_right_logical", "stablehlo.shift_right_logical"},
    {"chlo.broadcast_subtract", "stablehlo.subtract"},
    {"chlo.broadcast_xor", "stablehlo.xor"},
    {"chlo.broadcast_next_after", "chlo.next_after"},
    {"chlo.broadcast_polygamma", "chlo.polygamma"},
    {"chlo.broadcast_zeta", "chlo.zeta"},
});

void write_elementwise(OperationWriter& writer) { writer.result(elementwise_opcode(writer.name()), writer.operands()); }

void write_compare(OperationWriter& writer) {
  std::vector<std::string_view> words = writer.operation().words;
  if (writer.has("comparison_direction")) words.push_back(word(writer.attribute("comparison_direction")));
  if (writer.has("compare_type")) words.push_back(word(writer.attribute("compare_type")));
  if (words.empty()) writer.fail("stablehlo.compare needs a direction, such as LT");
  const bool total = words.size() > 1 && words[1] == "TOTALORDER";
  writer.result("compare", writer.operands(),
                fmt::format(", direction={}{}", words[0], total ? ", type=TOTALORDER" : ""));
}

/// A scalar condition becomes one of the result's sizes.
void write_select(OperationWriter& writer) {
  writer.need_operands(3);
  std::vector<std::string> operands = writer.operands();
  const std::vector<std::int64_t> sizes = writer.operand_type(1).dimensions;
  if (writer.operand_type(0).dimensions.empty() && !sizes.empty()) {
    operands[0] = writer.add(writer.array_type("pred", sizes), "broadcast", {operands[0]}, ", dimensions={}");
  }
  writer.result("select", operands);
}

/// The format e5m10 as two numbers of bits.
void write_reduce_precision(OperationWriter& writer) {
  std::string attributes;
  if (writer.has("format")) {
    const std::string_view format = writer.attribute("format");
    const std::size_t mantissa = format.find('m');
    if (!format.starts_with('e') || mantissa == std::string_view::npos) writer.fail("expected a format such as e5m10");
    attributes = fmt::format(", exponent_bits={}, mantissa_bits={}", format.substr(1, mantissa - 1),
                             format.substr(mantissa + 1));
  } else {
    attributes =
        fmt::format(", exponent_bits={}, mantissa_bits={}", writer.integer_of(writer.attribute("exponent_bits")),
                    writer.integer_of(writer.attribute("mantissa_bits")));
  }
  writer.result("reduce-precision", writer.operands(), attributes);
}

void write_conjugate(OperationWriter& writer) {
  const Type own = writer.operand_type(0);
  if (own.element != "c64" && own.element != "c128") return writer.define({writer.operand(0)});
  const Type part = writer.array_type(own.element == "c64" ? "f32" : "f64", own.dimensions);
  const std::string imaginary = writer.add(part, "imag", {writer.operand(0)});
  writer.result("complex", {writer.add(part, "real", {writer.operand(0)}), writer.add(part, "negate", {imaginary})});
}

/// The high half of the product of two u64: products of halves, whose carries fit into 64 bits.
std::string high_half(OperationWriter& writer, const Type& type, const std::string& x, const std::string& y) {
  const std::string half = writer.filled(type, "32"), mask = writer.filled(type, "4294967295");
  const auto low = [&](const std::string& a) { return writer.add(type, "and", {a, mask}); };
  const auto high = [&](const std::string& a) { return writer.add(type, "shift-right-logical", {a, half}); };
  const auto product = [&](const std::string& a, const std::string& b) { return writer.add(type, "multiply", {a, b}); };
  const auto sum = [&](const std::string& a, const std::string& b) { return writer.add(type, "add", {a, b}); };
  const std::string x_high = high(x), y_high = high(y), x_low = low(x), y_low = low(y);
  const std::string first = sum(product(x_high, y_low), high(product(x_low, y_low)));
  const std::string second = sum(product(x_low, y_high), low(first));
  return sum(sum(product(x_high, y_high), high(first)), high(second));
}

/// The high half of a product, by way of a type of twice the width, or of halves if there is none.
void write_mulhi(OperationWriter& writer) {
  writer.need_operands(2);
  const Type own = writer.operand_type(0);
  const bool has_sign = own.element.starts_with('s');
  const std::string x = writer.operand(0), y = writer.operand(1);
  if (!has_sign && !own.element.starts_with('u')) writer.fail(own.element + " has no high half");
  if (!own.element.ends_with("64")) {
    const Type wide = writer.array_type(has_sign ? "s64" : "u64", own.dimensions);
    const std::string product =
        writer.add(wide, "multiply", {writer.add(wide, "convert", {x}), writer.add(wide, "convert", {y})});
    return writer.result("convert", {writer.add(wide, has_sign ? "shift-right-arithmetic" : "shift-right-logical",
                                                {product, writer.filled(wide, own.element.substr(1))})});
  }
  const Type bits = writer.array_type("u64", own.dimensions);
  if (!has_sign) return writer.define({high_half(writer, bits, x, y)});
  const auto as = [&](const Type& type, const std::string& a) { return writer.add(type, "bitcast-convert", {a}); };
  const std::string high = as(own, high_half(writer, bits, as(bits, x), as(bits, y)));
  // A negative factor is 2^64 less than its bits say.
  const std::string last = writer.filled(own, "63");
  const auto if_negative = [&](const std::string& a, const std::string& b) {
    return writer.add(own, "and", {writer.add(own, "shift-right-arithmetic", {a, last}), b});
  };
  const std::string corrected = writer.add(own, "subtract", {high, if_negative(x, y)});
  writer.result("subtract", {corrected, if_negative(y, x)});
}

/// The operand with the result's sizes: its dimensions are the last ones, or those that the operation names. Sizes of 1
/// are repeated.
Value broadcast_operand(OperationWriter& writer, std::size_t i, const std::vector<std::int64_t>& sizes) {
  const Type from = writer.operand_type(i);
  const Type to = writer.array_type(from.element, sizes);
  if (from.dimensions == sizes) return writer.value(i);
  Integers dimensions;
  const std::size_t more = sizes.size() - std::min(sizes.size(), from.dimensions.size());
  for (std::size_t d = 0; d < from.dimensions.size(); ++d) dimensions.push_back(std::int64_t(more + d));
  if (more > 0 && writer.has("broadcast_dimensions")) {
    dimensions = writer.integer_list(writer.attribute("broadcast_dimensions"));
  }
  Integers kept, kept_sizes;
  for (std::size_t d = 0; d < from.dimensions.size(); ++d) {
    const std::int64_t at = d < dimensions.size() ? dimensions[d] : -1;
    const std::int64_t size = at < 0 || at >= std::int64_t(sizes.size()) ? -1 : sizes[std::size_t(at)];
    if (size < 0 || (from.dimensions[d] != size && from.dimensions[d] != 1)) {
      writer.fail(fmt::format("{} does not broadcast to {}", from.hlo, to.hlo));
    }
    if (from.dimensions[d] != size) continue;
    kept.push_back(at);
    kept_sizes.push_back(size);
  }
  std::string operand = writer.operand(i);
  if (kept.size() < from.dimensions.size()) {
    operand = writer.add(writer.array_type(from.element, kept_sizes), "reshape", {operand});
  }
  const std::string made = writer.add(to, "broadcast", {operand}, fmt::format(", dimensions={}", braces(kept)));
  return {made, writer.module().types().array(from.element, sizes)};
}

/// "chlo.broadcast_add" and others: "stablehlo.add" on operands of the result's sizes.
void write_broadcasting(OperationWriter& writer) {
  const std::vector<std::int64_t> sizes = writer.result_type().dimensions;
  std::vector<Value> operands;
  for (std::size_t i = 0; i < writer.count(); ++i) operands.push_back(broadcast_operand(writer, i, sizes));
  const std::string_view name = writer.name();
  const auto* found = std::ranges::find(broadcasting, name, &OpcodeName::mlir);
  writer.run_as(found->hlo, std::move(operands));
}

std::vector<OperationRow> make_elementwise_rows() {
  std::vector<OperationRow> rows{{"stablehlo.compare", write_compare},
                                 {"stablehlo.select", write_select},
                                 {"stablehlo.reduce_precision", write_reduce_precision},
                                 {"chlo.conj", write_conjugate},
                                 {"chlo.mulhi", write_mulhi}};
  for (const OpcodeName& name : opcode_names) {
    if (!name.hlo.empty()) rows.push_back({name.mlir, write_elementwise});
  }
  for (const OpcodeName& name : broadcasting) rows.push_back({name.mlir, write_broadcasting});
  return rows;
}

}  // namespace

std::string_view elementwise_opcode(std::string_view name) {
  const auto found = std::ranges::lower_bound(opcode_names, name, {}, &OpcodeName::mlir);
  return found != opcode_names.end() && found->mlir == name ? found->hlo : std::string_view();
}

std::span<const OperationRow> elementwise_rows() {
  static const std::vector<OperationRow> rows = make_elementwise_rows();
  return rows;
}

}  // namespace podsim::hlo::stablehlo
