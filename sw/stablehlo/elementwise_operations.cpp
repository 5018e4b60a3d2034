// SPDX-License-Identifier: Apache-2.0
// Part of sw/stablehlo/operation_table.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sw/stablehlo/operation_table.h"

namespace podsim::sw::stablehlo {
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

void write_elementwise(OperationWriter& writer) {
  writer.result(elementwise_opcode(writer.operation().name), writer.operands());
}

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

std::vector<OperationRow> make_elementwise_rows() {
  std::vector<OperationRow> rows{{"stablehlo.compare", write_compare},
                                 {"stablehlo.select", write_select},
                                 {"stablehlo.reduce_precision", write_reduce_precision}};
  for (const OpcodeName& name : opcode_names) {
    if (!name.hlo.empty()) rows.push_back({name.mlir, write_elementwise});
  }
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

}  // namespace podsim::sw::stablehlo
