// SPDX-License-Identifier: Apache-2.0
#include "sw/profile/rebuilt_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "sw/hlo/attribute_value.h"
#include "sw/profile/attribute_check.h"
#include "sw/profile/body_builder.h"
#include "sw/profile/counted_op.h"
#include "sw/profile/not_modelled.h"
#include "sw/profile/rebuilt_loop.h"
#include "sw/profile/rebuilt_matmul.h"

namespace podsim::sw::profile {
namespace {

/// The value of an attribute if it is present and well-formed.
template <class Read>
auto value_of(const OpText& text, std::string_view name, Read read)
    -> std::optional<decltype(read(std::declval<hlo::Scanner&>()))> {
  auto found = text.attributes.find(name);
  if (found == text.attributes.end()) return std::nullopt;
  hlo::Scanner scanner(found->second);
  try {
    return read(scanner);
  } catch (const hlo::SyntaxError&) {
    return std::nullopt;
  }
}

void read_attributes(const OpText& text, ir::Instruction& op) {
  if (auto dimensions = value_of(text, "dimensions", hlo::read_integers)) op.dimensions = *dimensions;
  if (auto window = value_of(text, "window", hlo::read_window)) op.window = *window;
  if (auto labels = value_of(text, "dim_labels", hlo::read_dimension_labels)) op.convolution = *labels;
  if (auto slice = value_of(text, "slice", hlo::read_slice)) op.slice = *slice;
  if (auto padding = value_of(text, "padding", hlo::read_padding)) op.padding = *padding;
  if (auto sizes = value_of(text, "dynamic_slice_sizes", hlo::read_integers)) op.slice_sizes = *sizes;
  if (auto sizes = value_of(text, "slice_sizes", hlo::read_integers)) op.slice_sizes = *sizes;
  const auto number = [&](std::string_view name, std::int64_t& into) {
    if (auto read = value_of(text, name, [](hlo::Scanner& scanner) { return scanner.integer("a number"); }))
      into = *read;
  };
  number("feature_group_count", op.feature_groups);
  number("batch_group_count", op.batch_groups);
  const auto word = [&](std::string_view name, std::string& into) {
    if (auto found = text.attributes.find(name); found != text.attributes.end()) into = found->second;
  };
  word("algorithm", op.target);
  word("operand_precision", op.operand_precision);
  const auto roles = [&](std::string_view name, auto& attribute, auto member) {
    if (auto read = value_of(text, name, hlo::read_integers)) {
      (attribute.edit().*member).assign(read->begin(), read->end());
    }
  };
  roles("lhs_batch_dims", op.dot, &ir::DotDimensions::lhs_batch);
  roles("rhs_batch_dims", op.dot, &ir::DotDimensions::rhs_batch);
  roles("lhs_contracting_dims", op.dot, &ir::DotDimensions::lhs_contracting);
  roles("rhs_contracting_dims", op.dot, &ir::DotDimensions::rhs_contracting);
  roles("offset_dims", op.gather, &ir::GatherDimensions::offset);
  roles("collapsed_slice_dims", op.gather, &ir::GatherDimensions::collapsed);
  roles("start_index_map", op.gather, &ir::GatherDimensions::index_map);
  roles("update_window_dims", op.gather, &ir::GatherDimensions::offset);
  roles("inserted_window_dims", op.gather, &ir::GatherDimensions::collapsed);
  roles("scatter_dims_to_operand_dims", op.gather, &ir::GatherDimensions::index_map);
}

std::vector<ir::Shape> operand_shapes(const OpText& text) {
  std::vector<ir::Shape> shapes;
  for (const OpText::Operand& operand : text.operands) {
    if (!operand.shape) continue;
    for (ir::Shape& shape : arrays_of(*operand.shape)) shapes.push_back(std::move(shape));
  }
  return shapes;
}

/// The op itself, or std::nullopt if its text does not determine its cost.
std::optional<ir::Module> bare_op(const OpText& text) {
  const auto known = std::ranges::count_if(text.operands, [](const OpText::Operand& o) { return o.shape.has_value(); });
  if (text.opcode == ir::Opcode::unknown || known < ir::row(text.opcode).least_operands) return std::nullopt;
  BodyBuilder body;
  ir::Instruction op;
  op.opcode = text.opcode;
  op.shape = text.result;
  for (const OpText::Operand& operand : text.operands) {
    if (operand.shape) op.operands.push_back(body.parameter(*operand.shape));
  }
  read_attributes(text, op);
  body.add(std::move(op));
  ir::Module module = std::move(body).bare();
  const ir::Computation& entry = module.entry_computation();
  if (!has_sound_attributes(entry[entry.root], entry)) return std::nullopt;
  return module;
}

enum class FusionForm { loop, output, custom };

FusionForm form_of(const OpText& text, const std::string& category) {
  if (text.opcode == ir::Opcode::gather || text.opcode == ir::Opcode::scatter) return FusionForm::custom;
  if (auto kind = text.attributes.find("kind"); kind != text.attributes.end()) {
    if (kind->second == "kCustom") return FusionForm::custom;
    return kind->second == "kOutput" ? FusionForm::output : FusionForm::loop;
  }
  if (category.starts_with("convolution") || category == "output fusion") return FusionForm::output;
  const bool rows = category.starts_with("gather") || category.starts_with("scatter") || category == "custom fusion";
  return rows ? FusionForm::custom : FusionForm::loop;
}

/// Limits on a row, far beyond what fits a core, so that its sizes and counts are exact and its rebuilding is short.
constexpr double most_elements = double(std::int64_t(1) << 40);
constexpr double most_flops = double(std::int64_t(1) << 48);
constexpr double most_bytes = double(std::int64_t(1) << 42);
constexpr std::size_t most_fusion_arrays = 1024;

double all_elements(const std::vector<ir::Shape>& arrays) {
  double sum = 0;
  for (const ir::Shape& array : arrays) sum += double(array.element_count());
  return sum;
}

void require_elements(const OpText& text) {
  std::vector<ir::Shape> arrays = arrays_of(text.result);
  if (all_elements(arrays) < 1) throw NotModelled("the results have no elements");
  std::ranges::copy(operand_shapes(text), std::back_inserter(arrays));
  if (all_elements(arrays) > most_elements) throw NotModelled("the arrays have more than 2^40 elements");
  if (padded_bytes(arrays) > most_bytes) throw NotModelled("the arrays fill more than 2^42 bytes with their padding");
}

void require_countable(const FusionFacts& facts) {
  if (facts.results.size() + facts.operands.size() > most_fusion_arrays) {
    throw NotModelled(fmt::format("a fusion is rebuilt from at most {} arrays", most_fusion_arrays));
  }
  // A rate that overflows gives an infinite count, or none that is a number.
  if (!(facts.flops <= most_flops)) throw NotModelled("the count of FLOPs is beyond 2^48, seconds of a core");
  if (!(facts.bytes.value_or(0) <= most_bytes)) throw NotModelled("the count of bytes is beyond 2^42");
}

RebuiltOp fusion_op(const OpText& text, const OpCounts& counts) {
  FusionFacts facts{arrays_of(text.result), operand_shapes(text), counts.flops.value_or(0), counts.bytes};
  require_countable(facts);
  if (text.cut_off) facts.bytes.reset();  // they include operands that are missing in the text
  const FusionForm form = form_of(text, counts.category);
  const auto checked = [&](ir::Module module, CountedUnit unit) {
    if (!counts.flops || !contradicts_counts(module, facts)) return RebuiltOp{std::move(module), true};
    return RebuiltOp{counted_op(facts, unit), true, true};
  };
  if (form == FusionForm::custom) {
    if (auto module = rebuild_row_fusion(facts)) return RebuiltOp{*std::move(module), true};
  }
  if (form != FusionForm::loop) {
    if (auto module = rebuild_matmul_fusion(facts)) return checked(*std::move(module), CountedUnit::matrix);
  }
  return checked(rebuild_loop_fusion(facts), CountedUnit::vector);
}

/// The largest elements of every row and their positions: a sort of all with their positions.
std::optional<ir::Module> top_k(const OpText& text) {
  const std::vector<ir::Shape> operands = operand_shapes(text);
  if (operands.size() != 1 || operands.front().rank() == 0) return std::nullopt;
  ir::Shape positions = operands.front();
  positions.element_type = ir::ElementType::s32;
  BodyBuilder body;
  ir::Instruction sort;
  sort.opcode = ir::Opcode::sort;
  sort.operands = {body.parameter(operands.front()), body.parameter(positions)};
  sort.shape = ir::make_tuple_shape({operands.front(), positions});
  sort.dimensions = {operands.front().rank() - 1};
  body.add(std::move(sort));
  return std::move(body).bare();
}

RebuiltOp custom_call(const OpText& text) {
  const auto target = text.attributes.find("custom_call_target");
  if (target != text.attributes.end() && target->second == "TopK") {
    if (auto module = top_k(text)) return RebuiltOp{*std::move(module), false};
  }
  throw NotModelled("the text does not say what a custom call does");
}

}  // namespace

std::optional<RebuiltOp> rebuild(const OpText& text, const OpCounts& counts) {
  if (arrays_of(text.result).empty()) return std::nullopt;
  require_elements(text);
  if (text.opcode == ir::Opcode::custom_call) return custom_call(text);
  if (text.opcode != ir::Opcode::fusion) {
    if (auto module = bare_op(text)) return RebuiltOp{*std::move(module), false};
  }
  return fusion_op(text, counts);
}

}  // namespace podsim::sw::profile
