// SPDX-License-Identifier: Apache-2.0
// Part of hlo/stablehlo/operation_table.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "hlo/stablehlo/operation_table.h"

namespace podsim::hlo::stablehlo {
namespace {

/// A word that goes into HLO text as it is written.
std::string_view name(OperationWriter& writer, std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (!std::ranges::all_of(text, is_letter)) writer.fail("expected a name of letters, digits and underscores");
  return text;
}

/// ", operand_precision={highest,highest}"; empty if all are the default.
std::string precision(OperationWriter& writer) {
  const std::string_view value = writer.any_attribute({"precision", "precision_config"});
  if (value.empty()) return "";
  std::string text;
  bool is_default = true;
  for (const std::string_view each : writer.module().located(value, [&] { return word_list(value); })) {
    std::string one(name(writer, each));
    for (char& c : one) c = char(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    is_default = is_default && one == "default";
    text += (text.empty() ? "" : ",") + one;
  }
  return is_default ? "" : fmt::format(", operand_precision={{{}}}", text);
}

struct DotDimensions {
  Integers lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
};

/// The two lists of "[0] x [1]".
void read_pair(OperationWriter& writer, std::string_view value, Integers& left, Integers& right) {
  const std::size_t times = value.find('x');
  if (times == std::string_view::npos) writer.fail("expected two lists, such as [0] x [1]");
  left = writer.integer_list(trimmed(value.substr(0, times)));
  right = writer.integer_list(trimmed(value.substr(times + 1)));
}

Integers list_field(OperationWriter& writer, std::string_view value, std::string_view name) {
  const std::string_view list = writer.module().located(value, [&] { return field(value, name); });
  return list.empty() ? Integers{} : writer.integer_list(list);
}

DotDimensions dot_dimensions(OperationWriter& writer) {
  DotDimensions dot;
  if (writer.has("dot_dimension_numbers")) {
    const std::string_view value = writer.attribute("dot_dimension_numbers");
    dot.lhs_batch = list_field(writer, value, "lhs_batching_dimensions");
    dot.rhs_batch = list_field(writer, value, "rhs_batching_dimensions");
    dot.lhs_contracting = list_field(writer, value, "lhs_contracting_dimensions");
    dot.rhs_contracting = list_field(writer, value, "rhs_contracting_dimensions");
    return dot;
  }
  if (writer.has("batching_dims")) {
    read_pair(writer, writer.attribute("batching_dims"), dot.lhs_batch, dot.rhs_batch);
  }
  if (writer.has("contracting_dims")) {
    read_pair(writer, writer.attribute("contracting_dims"), dot.lhs_contracting, dot.rhs_contracting);
  }
  return dot;
}

void write_dot(OperationWriter& writer, const DotDimensions& dot, std::string_view opcode = "dot",
               std::string attributes = "") {
  if (!dot.lhs_batch.empty()) {
    attributes += fmt::format(", lhs_batch_dims={}, rhs_batch_dims={}", braces(dot.lhs_batch), braces(dot.rhs_batch));
  }
  attributes += fmt::format(", lhs_contracting_dims={}, rhs_contracting_dims={}", braces(dot.lhs_contracting),
                            braces(dot.rhs_contracting));
  if (writer.has("algorithm")) {
    writer.module().warn_once(writer.attribute("algorithm"), "the algorithm of a dot is not used");
  }
  writer.result(opcode, writer.operands(), attributes + precision(writer));
}

void write_dot_general(OperationWriter& writer) { write_dot(writer, dot_dimensions(writer)); }

void write_plain_dot(OperationWriter& writer) {
  writer.need_operands(2);
  const auto last = std::int64_t(writer.operand_type(0).dimensions.size()) - 1;
  write_dot(writer, {{}, {}, {last}, {0}});
}

void write_ragged_dot(OperationWriter& writer) {
  writer.need_operands(3);
  const std::string_view value = writer.attribute("ragged_dot_dimension_numbers");
  const DotDimensions dot{
      list_field(writer, value, "lhs_batching_dimensions"), list_field(writer, value, "rhs_batching_dimensions"),
      list_field(writer, value, "lhs_contracting_dimensions"), list_field(writer, value, "rhs_contracting_dimensions")};
  write_dot(
      writer, dot, "ragged-dot",
      fmt::format(", lhs_ragged_dims={}, rhs_group_dims={}", braces(list_field(writer, value, "lhs_ragged_dimensions")),
                  braces(list_field(writer, value, "rhs_group_dimensions"))));
}

/// One list of dimension labels, "[b, 0, 1, f]" as "b01f".
std::string labels(std::string_view list) {
  std::string text;
  for (const std::string_view part : parts(list)) text += part;
  return text;
}

/// "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]" as "b01f_01io->b01f".
std::string dimension_labels(OperationWriter& writer, std::string_view value) {
  if (value.starts_with('#')) value = writer.module().located(value, [&] { return inner(value); });
  const std::size_t times = value.find("]x["), arrow = value.find("]->[");
  if (times == std::string_view::npos || arrow == std::string_view::npos || arrow < times) {
    writer.fail("expected dimension numbers such as [b, 0, f]x[0, i, o]->[b, 0, f]");
  }
  return writer.module().located(value, [&] {
    return fmt::format("{}_{}->{}", labels(value.substr(0, times + 1)),
                       labels(value.substr(times + 2, arrow - times - 1)), labels(value.substr(arrow + 3)));
  });
}

/// What a convolution's window says, in its two forms. Empty lists are those of 1, or of 0 for padding.
struct WindowLists {
  Integers stride, pad, lhs_dilate, rhs_dilate, reverse;
};

WindowLists convolution_window(OperationWriter& writer) {
  WindowLists lists;
  if (writer.has("window")) {
    const std::string_view value = writer.attribute("window");
    lists = {list_field(writer, value, "stride"), list_field(writer, value, "pad"),
             list_field(writer, value, "lhs_dilate"), list_field(writer, value, "rhs_dilate"),
             list_field(writer, value, "reverse")};
    return lists;
  }
  const auto read = [&](std::string_view name, Integers& list) {
    if (writer.has(name)) list = writer.integer_list(writer.attribute(name));
  };
  read("window_strides", lists.stride);
  read("padding", lists.pad);
  read("lhs_dilation", lists.lhs_dilate);
  read("rhs_dilation", lists.rhs_dilate);
  read("window_reversal", lists.reverse);
  return lists;
}

void append_window_part(OperationWriter& writer, std::string& text, std::string_view name, const Integers& list,
                        std::size_t rank, std::int64_t without) {
  if (list.empty()) return;
  if (list.size() != rank) writer.fail(fmt::format("{} numbers of '{}' for {} dimensions", list.size(), name, rank));
  bool needed = false;
  for (const std::int64_t each : list) needed = needed || each != without;
  if (needed) text += fmt::format(" {}={}", name, fmt::join(list, "x"));
}

std::string window_text(OperationWriter& writer, const Integers& size, const WindowLists& lists) {
  std::string text = fmt::format("size={}", fmt::join(size, "x"));
  append_window_part(writer, text, "stride", lists.stride, size.size(), 1);
  if (!lists.pad.empty()) {
    if (lists.pad.size() != 2 * size.size()) writer.fail("the padding needs two numbers for each dimension");
    std::vector<std::string> pads;
    bool needed = false;
    for (std::size_t i = 0; i < size.size(); ++i) {
      pads.push_back(fmt::format("{}_{}", lists.pad[2 * i], lists.pad[2 * i + 1]));
      needed = needed || pads.back() != "0_0";
    }
    if (needed) text += fmt::format(" pad={}", fmt::join(pads, "x"));
  }
  append_window_part(writer, text, "lhs_dilate", lists.lhs_dilate, size.size(), 1);
  append_window_part(writer, text, "rhs_dilate", lists.rhs_dilate, size.size(), 1);
  append_window_part(writer, text, "rhs_reversal", lists.reverse, size.size(), 0);
  return fmt::format(", window={{{}}}", text);
}

/// A dynamic_conv has its padding in an operand.
void write_convolution(OperationWriter& writer) {
  writer.need_operands(2);
  const std::string text = dimension_labels(writer, writer.any_attribute({"dim_numbers", "dimension_numbers"}));
  const std::string_view kernel = std::string_view(text).substr(text.find('_') + 1);
  const Type kernel_type = writer.operand_type(1);
  Integers size(kernel_type.dimensions.size() < 2 ? 0 : kernel_type.dimensions.size() - 2);
  for (std::size_t i = 0; i < kernel_type.dimensions.size() && i < kernel.size(); ++i) {
    const auto spatial = std::size_t(kernel[i] - '0');
    if (kernel[i] >= '0' && kernel[i] <= '9' && spatial < size.size()) size[spatial] = kernel_type.dimensions[i];
  }
  WindowLists lists = convolution_window(writer);
  if (writer.count() > 2) lists.pad = writer.constant_operand(2);
  std::string attributes = size.empty() ? "" : window_text(writer, size, lists);
  attributes += ", dim_labels=" + text;
  for (const std::string_view name : {"feature_group_count", "batch_group_count"}) {
    const std::int64_t groups = writer.has(name) ? writer.integer_of(writer.attribute(name)) : 1;
    if (groups != 1) attributes += fmt::format(", {}={}", name, groups);
  }
  writer.result("convolution", {writer.operand(0), writer.operand(1)}, attributes + precision(writer));
}

/// reduce_window and select_and_scatter have lists for all dimensions.
std::string all_dimensions_window(OperationWriter& writer) {
  const Integers size = writer.integer_list(writer.attribute("window_dimensions"));
  if (size.empty()) return "";
  WindowLists lists;
  const auto read = [&](std::string_view name, Integers& list) {
    if (writer.has(name)) list = writer.integer_list(writer.attribute(name));
  };
  read("window_strides", lists.stride);
  read("padding", lists.pad);
  read("base_dilations", lists.lhs_dilate);
  read("window_dilations", lists.rhs_dilate);
  return window_text(writer, size, lists);
}

void write_reduce_window(OperationWriter& writer) {
  writer.need_regions(1);
  const std::string region = writer.module().combiner(writer.operation().regions[0], writer.writer());
  writer.result("reduce-window", writer.operands(), all_dimensions_window(writer) + ", to_apply=%" + region);
}

void write_select_and_scatter(OperationWriter& writer) {
  writer.need_regions(2);
  const std::string select = writer.module().combiner(writer.operation().regions[0], writer.writer()),
                    scatter = writer.module().combiner(writer.operation().regions[1], writer.writer());
  writer.result("select-and-scatter", writer.operands(),
                fmt::format("{}, select=%{}, scatter=%{}", all_dimensions_window(writer), select, scatter));
}

void write_cholesky(OperationWriter& writer) {
  const bool lower = writer.has("lower") && boolean(writer.attribute("lower"));
  writer.result("cholesky", writer.operands(), fmt::format(", lower={}", lower));
}

void write_triangular_solve(OperationWriter& writer) {
  std::string attributes;
  for (const std::string_view name : {"left_side", "lower", "unit_diagonal"}) {
    attributes += fmt::format(", {}={}", name, writer.has(name) && boolean(writer.attribute(name)));
  }
  if (writer.has("transpose_a"))
    attributes += fmt::format(", transpose_a={}", name(writer, word(writer.attribute("transpose_a"))));
  writer.result("triangular-solve", writer.operands(), attributes);
}

void write_fft(OperationWriter& writer) {
  writer.result(
      "fft", writer.operands(),
      fmt::format(", fft_type={}, fft_length={}", name(writer, word(writer.any_attribute({"type", "fft_type"}))),
                  braces(writer.integer_list(writer.any_attribute({"length", "fft_length"})))));
}

/// batch_norm_training, batch_norm_inference and batch_norm_grad.
void write_batch_norm(OperationWriter& writer) {
  std::string opcode(writer.operation().name.substr(std::string_view("stablehlo.").size()));
  for (char& c : opcode) c = c == '_' ? '-' : c;
  const std::string_view epsilon = writer.attribute("epsilon");
  writer.result(opcode, writer.operands(),
                fmt::format(", epsilon={}, feature_index={}", trimmed(epsilon.substr(0, epsilon.find(':'))),
                            writer.integer_of(writer.attribute("feature_index"))));
}

constexpr auto product_rows = std::to_array<OperationRow>({
    {"stablehlo.dot_general", write_dot_general},
    {"stablehlo.dot", write_plain_dot},
    {"chlo.ragged_dot", write_ragged_dot},
    {"stablehlo.convolution", write_convolution},
    {"stablehlo.dynamic_conv", write_convolution},
    {"stablehlo.reduce_window", write_reduce_window},
    {"stablehlo.select_and_scatter", write_select_and_scatter},
    {"stablehlo.cholesky", write_cholesky},
    {"stablehlo.triangular_solve", write_triangular_solve},
    {"stablehlo.fft", write_fft},
    {"stablehlo.batch_norm_training", write_batch_norm},
    {"stablehlo.batch_norm_inference", write_batch_norm},
    {"stablehlo.batch_norm_grad", write_batch_norm},
});

}  // namespace

std::span<const OperationRow> contraction_rows() { return product_rows; }

}  // namespace podsim::hlo::stablehlo
