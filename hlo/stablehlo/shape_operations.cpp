// SPDX-License-Identifier: Apache-2.0
// Part of hlo/stablehlo/operation_table.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "hlo/stablehlo/constant_text.h"
#include "hlo/stablehlo/operation_table.h"

namespace podsim::hlo::stablehlo {
namespace {

void write_constant(OperationWriter& writer) {
  const std::string_view value = writer.attribute("value");
  if (writer.operation().result_types.empty()) {
    writer.fail("a constant says its type", "dense<0.0> : tensor<f32>");
  }
  const Type type = writer.result_type();
  const ConstantText made =
      writer.module().located(value, [&] { return constant_text(value, type, writer.module().resources()); });
  const bool is_small = type.dimensions.empty() || made.is_splat;
  const std::string name = made.is_splat ? writer.filled(type, made.literal)
                                         : writer.writer().add_constant(type.hlo, made.literal, writer.origin());
  writer.define({name}, &writer.operation(), is_small);
}

/// A constant of its operand's shape, of which the attribute has the element.
void write_constant_like(OperationWriter& writer) {
  const std::string_view value = writer.attribute("value");
  const Type type = writer.result_type(), element = writer.array_type(type.element, {});
  const std::string dense = fmt::format("dense<{}>", trimmed(value.substr(0, value.find(':'))));
  const ConstantText made = writer.module().located(value, [&] { return constant_text(dense, element, ""); });
  writer.define({writer.filled(type, made.literal)});
}

/// Also of the operations that have the sizes of their results in an operand: those are in the results' types.
void write_iota(OperationWriter& writer) {
  const std::int64_t dimension = writer.integer_of(writer.any_attribute({"dim", "iota_dimension"}));
  writer.result("iota", {}, fmt::format(", iota_dimension={}", dimension));
}

/// Dimensions of size 1 that grow are left out first: a broadcast of HLO keeps sizes.
void write_broadcast_in_dim(OperationWriter& writer) {
  writer.need_operands(1);
  const Type from = writer.operand_type(0), to = writer.result_type();
  const Integers dimensions = writer.integer_list(writer.any_attribute({"dims", "broadcast_dimensions"}));
  if (dimensions.size() != from.dimensions.size()) {
    writer.fail(fmt::format("{} dimensions for an operand of {}", dimensions.size(), from.dimensions.size()));
  }
  Integers sizes, kept;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= std::int64_t(to.dimensions.size())) {
      writer.fail(fmt::format("the result has no dimension {}", dimensions[i]));
    }
    if (from.dimensions[i] == 1 && to.dimensions[std::size_t(dimensions[i])] != 1) continue;
    sizes.push_back(from.dimensions[i]);
    kept.push_back(dimensions[i]);
  }
  std::string operand = writer.operand(0);
  if (kept.size() < dimensions.size()) {
    operand = writer.add(writer.array_type(from.element, sizes), "reshape", {operand});
  }
  writer.result("broadcast", {operand}, fmt::format(", dimensions={}", braces(kept)));
}

/// An operation with a list of dimensions, and its opcode.
void write_with_dimensions(OperationWriter& writer, std::string_view opcode) {
  const Integers dimensions =
      writer.integer_list(writer.any_attribute({"dims", "dim", "permutation", "dimensions", "dimension"}));
  writer.result(opcode, writer.operands(), fmt::format(", dimensions={}", braces(dimensions)));
}

void write_transpose(OperationWriter& writer) { write_with_dimensions(writer, "transpose"); }
void write_reverse(OperationWriter& writer) { write_with_dimensions(writer, "reverse"); }
void write_concatenate(OperationWriter& writer) { write_with_dimensions(writer, "concatenate"); }
void write_get_dimension_size(OperationWriter& writer) { write_with_dimensions(writer, "get-dimension-size"); }

void write_dynamic_reshape(OperationWriter& writer) { writer.result("reshape", {writer.operand(0)}); }

/// The operand becomes the last dimensions.
void write_broadcast(OperationWriter& writer) {
  const auto rank = std::int64_t(writer.operand_type(0).dimensions.size()),
             more = std::int64_t(writer.result_type().dimensions.size()) - rank;
  Integers dimensions;
  for (std::int64_t i = 0; i < rank; ++i) dimensions.push_back(more + i);
  writer.result("broadcast", writer.operands(), fmt::format(", dimensions={}", braces(dimensions)));
}

void write_slice_of(OperationWriter& writer, const Integers& starts, const Integers& limits, const Integers& strides) {
  if (starts.size() != limits.size() || starts.size() != strides.size()) {
    writer.fail("start_indices, limit_indices and strides differ in number");
  }
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    ranges.push_back(fmt::format("[{}:{}:{}]", starts[i], limits[i], strides[i]));
  }
  writer.result("slice", {writer.operand(0)}, fmt::format(", slice={{{}}}", fmt::join(ranges, ", ")));
}

void write_real_dynamic_slice(OperationWriter& writer) {
  writer.need_operands(4);
  const Integers starts = writer.constant_operand(1), limits = writer.constant_operand(2);
  write_slice_of(writer, starts, limits, writer.constant_operand(3));
}

/// "[0:4, 1:5:2]" as HLO writes it, or three lists.
void write_slice(OperationWriter& writer) {
  if (writer.operation().brackets.empty()) {
    return write_slice_of(writer, writer.integer_list(writer.attribute("start_indices")),
                          writer.integer_list(writer.attribute("limit_indices")),
                          writer.integer_list(writer.attribute("strides")));
  }
  std::vector<std::string> ranges;
  for (const std::string_view part : parts(writer.operation().brackets)) ranges.push_back(fmt::format("[{}]", part));
  writer.result("slice", writer.operands(), fmt::format(", slice={{{}}}", fmt::join(ranges, ", ")));
}

void write_dynamic_slice(OperationWriter& writer) {
  const Integers sizes = writer.integer_list(writer.any_attribute({"sizes", "slice_sizes"}));
  writer.result("dynamic-slice", writer.operands(), fmt::format(", dynamic_slice_sizes={}", braces(sizes)));
}

void write_dynamic_update_slice(OperationWriter& writer) { writer.result("dynamic-update-slice", writer.operands()); }

void write_pad_of(OperationWriter& writer, const Integers& low, const Integers& high, const Integers& interior) {
  if (low.size() != high.size() || low.size() != interior.size())
    writer.fail("low, high and interior differ in number");
  if (low.empty()) return writer.define({writer.operand(0)});
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < low.size(); ++i) ranges.push_back(fmt::format("{}_{}_{}", low[i], high[i], interior[i]));
  writer.result("pad", {writer.operand(0), writer.operand(1)}, fmt::format(", padding={}", fmt::join(ranges, "x")));
}

void write_pad(OperationWriter& writer) {
  writer.need_operands(2);
  write_pad_of(writer, writer.integer_list(writer.any_attribute({"low", "edge_padding_low"})),
               writer.integer_list(writer.any_attribute({"high", "edge_padding_high"})),
               writer.integer_list(writer.any_attribute({"interior", "interior_padding"})));
}

void write_dynamic_pad(OperationWriter& writer) {
  writer.need_operands(5);
  const Integers low = writer.constant_operand(2), high = writer.constant_operand(3);
  write_pad_of(writer, low, high, writer.constant_operand(4));
}

/// A list of a gather's or scatter's dimension numbers, "{}" if it is not written.
std::string numbers(OperationWriter& writer, std::string_view value, std::string_view name) {
  const std::string_view list = writer.module().located(value, [&] { return field(value, name); });
  return list.empty() ? "{}" : braces(writer.integer_list(list));
}

std::string sorted_and_unique(OperationWriter& writer) {
  std::string text;
  if (writer.has("indices_are_sorted") && boolean(writer.attribute("indices_are_sorted"))) {
    text += ", indices_are_sorted=true";
  }
  if (writer.has("unique_indices") && boolean(writer.attribute("unique_indices"))) text += ", unique_indices=true";
  return text;
}

std::string index_vector(OperationWriter& writer, std::string_view value) {
  const std::string_view number = writer.module().located(value, [&] { return field(value, "index_vector_dim"); });
  return fmt::format(", index_vector_dim={}", number.empty() ? 0 : writer.integer_of(number));
}

void write_gather_of(OperationWriter& writer, const Integers& slice_sizes) {
  const std::string_view value = writer.attribute("dimension_numbers");
  std::string attributes;
  for (const std::string_view name : {"offset_dims", "collapsed_slice_dims", "start_index_map"}) {
    attributes += fmt::format(", {}={}", name, numbers(writer, value, name));
  }
  for (const std::string_view name : {"operand_batching_dims", "start_indices_batching_dims"}) {
    const std::string list = numbers(writer, value, name);
    if (list != "{}") attributes += fmt::format(", {}={}", name, list);
  }
  attributes += index_vector(writer, value);
  attributes += fmt::format(", slice_sizes={}", braces(slice_sizes));
  writer.result("gather", {writer.operand(0), writer.operand(1)}, attributes + sorted_and_unique(writer));
}

void write_gather(OperationWriter& writer) {
  write_gather_of(writer, writer.integer_list(writer.attribute("slice_sizes")));
}

void write_dynamic_gather(OperationWriter& writer) { write_gather_of(writer, writer.constant_operand(2)); }

void write_scatter(OperationWriter& writer) {
  writer.need_regions(1);
  const std::string_view value = writer.attribute("scatter_dimension_numbers");
  std::string attributes;
  for (const std::string_view name : {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"}) {
    attributes += fmt::format(", {}={}", name, numbers(writer, value, name));
  }
  for (const std::string_view name : {"input_batching_dims", "scatter_indices_batching_dims"}) {
    const std::string list = numbers(writer, value, name);
    if (list != "{}") attributes += fmt::format(", {}={}", name, list);
  }
  attributes += index_vector(writer, value) + sorted_and_unique(writer);
  const std::string region = writer.module().combiner(writer.operation().regions[0], writer.writer());
  writer.result("scatter", writer.operands(), attributes + ", to_apply=%" + region);
}

void write_set_dimension_size(OperationWriter& writer) {
  writer.fail("stablehlo.set_dimension_size makes a bounded dynamic size, which is not simulated",
              "lower the program with fixed shapes");
}

constexpr auto moving_rows = std::to_array<OperationRow>({
    {"stablehlo.constant", write_constant},
    {"chlo.constant", write_constant},
    {"chlo.constant_like", write_constant_like},
    {"stablehlo.iota", write_iota},
    {"stablehlo.dynamic_iota", write_iota},
    {"stablehlo.broadcast_in_dim", write_broadcast_in_dim},
    {"stablehlo.dynamic_broadcast_in_dim", write_broadcast_in_dim},
    {"stablehlo.broadcast", write_broadcast},
    {"stablehlo.dynamic_reshape", write_dynamic_reshape},
    {"chlo.dynamic_reshape", write_dynamic_reshape},
    {"stablehlo.transpose", write_transpose},
    {"stablehlo.reverse", write_reverse},
    {"stablehlo.concatenate", write_concatenate},
    {"stablehlo.get_dimension_size", write_get_dimension_size},
    {"stablehlo.set_dimension_size", write_set_dimension_size},
    {"stablehlo.slice", write_slice},
    {"stablehlo.real_dynamic_slice", write_real_dynamic_slice},
    {"stablehlo.dynamic_slice", write_dynamic_slice},
    {"stablehlo.dynamic_update_slice", write_dynamic_update_slice},
    {"stablehlo.pad", write_pad},
    {"stablehlo.dynamic_pad", write_dynamic_pad},
    {"stablehlo.gather", write_gather},
    {"stablehlo.dynamic_gather", write_dynamic_gather},
    {"stablehlo.scatter", write_scatter},
});

}  // namespace

std::span<const OperationRow> shape_rows() { return moving_rows; }

}  // namespace podsim::hlo::stablehlo
