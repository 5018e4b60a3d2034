// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/rebuilt_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "hlo/text/graph/graph_attributes.h"
#include "validation/profile/attribute_check.h"
#include "validation/profile/body_builder.h"
#include "validation/profile/counted_op.h"
#include "validation/profile/not_modelled.h"
#include "validation/profile/rebuilt_loop.h"
#include "validation/profile/rebuilt_matmul.h"

namespace podsim::validation::profile {
namespace {

/// Leaves out attributes that are not well-formed, such as those that a profiler truncated.
void read_attributes(const OpText& text, hlo::Instruction& op) {
  for (const auto& [name, value] : text.attributes) {
    const hlo::text::Attribute attribute{name, value};
    try {
      hlo::text::graph::set_attributes(op, {&attribute, 1});
    } catch (const hlo::text::SyntaxError&) {
      continue;
    }
  }
}

std::vector<hlo::Shape> operand_shapes(const OpText& text) {
  std::vector<hlo::Shape> shapes;
  for (const OpText::Operand& operand : text.operands) {
    if (!operand.shape) continue;
    for (hlo::Shape& shape : arrays_of(*operand.shape)) shapes.push_back(std::move(shape));
  }
  return shapes;
}

/// The op itself, or std::nullopt if its text does not determine its cost.
std::optional<hlo::Module> bare_op(const OpText& text) {
  const auto known = std::ranges::count_if(text.operands, [](const OpText::Operand& o) { return o.shape.has_value(); });
  if (text.opcode == hlo::Opcode::unknown || known < hlo::row(text.opcode).min_operands) return std::nullopt;
  BodyBuilder body;
  hlo::Instruction op;
  op.opcode = text.opcode;
  op.shape = text.result;
  for (const OpText::Operand& operand : text.operands) {
    if (operand.shape) op.operands.push_back(body.parameter(*operand.shape));
  }
  read_attributes(text, op);
  body.add(std::move(op));
  hlo::Module module = std::move(body).bare();
  const hlo::Computation& entry = module.entry_computation();
  if (!has_sound_attributes(entry[entry.root], entry)) return std::nullopt;
  return module;
}

enum class FusionForm { loop, output, custom };

FusionForm form_of(const OpText& text, const std::string& category) {
  if (text.opcode == hlo::Opcode::gather || text.opcode == hlo::Opcode::scatter) return FusionForm::custom;
  if (auto kind = text.attributes.find("kind"); kind != text.attributes.end()) {
    if (kind->second == "kCustom") return FusionForm::custom;
    return kind->second == "kOutput" ? FusionForm::output : FusionForm::loop;
  }
  if (category.starts_with("convolution") || category == "output fusion") return FusionForm::output;
  const bool rows = category.starts_with("gather") || category.starts_with("scatter") || category == "custom fusion";
  return rows ? FusionForm::custom : FusionForm::loop;
}

/// Limits on a row, far beyond what fits a core, so that its sizes and counts are exact and its rebuilding is short.
constexpr double max_elements = double(std::int64_t(1) << 40);
constexpr double max_flops = double(std::int64_t(1) << 48);
constexpr double max_bytes = double(std::int64_t(1) << 42);
constexpr std::size_t max_fusion_arrays = 1024;

double all_elements(const std::vector<hlo::Shape>& arrays) {
  double sum = 0;
  for (const hlo::Shape& array : arrays) sum += double(array.element_count());
  return sum;
}

void require_elements(const OpText& text) {
  std::vector<hlo::Shape> arrays = arrays_of(text.result);
  if (all_elements(arrays) < 1) throw NotModelled("the results have no elements");
  std::ranges::copy(operand_shapes(text), std::back_inserter(arrays));
  if (all_elements(arrays) > max_elements) throw NotModelled("the arrays have more than 2^40 elements");
  if (padded_bytes(arrays) > max_bytes) throw NotModelled("the arrays fill more than 2^42 bytes with their padding");
}

void require_countable(const FusionFacts& facts) {
  if (facts.results.size() + facts.operands.size() > max_fusion_arrays) {
    throw NotModelled(fmt::format("a fusion is rebuilt from at most {} arrays", max_fusion_arrays));
  }
  // A rate that overflows gives an infinite count, or none that is a number.
  if (!(facts.flops <= max_flops)) throw NotModelled("the count of FLOPs is beyond 2^48, seconds of a core");
  if (!(facts.bytes.value_or(0) <= max_bytes)) throw NotModelled("the count of bytes is beyond 2^42");
}

RebuiltOp fusion_op(const OpText& text, const OpCounts& counts) {
  FusionFacts facts{arrays_of(text.result), operand_shapes(text), counts.flops.value_or(0), counts.bytes};
  require_countable(facts);
  if (text.cut_off) facts.bytes.reset();  // they include operands that are missing in the text
  const FusionForm form = form_of(text, counts.category);
  const auto checked = [&](hlo::Module module, CountedUnit unit) {
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
std::optional<hlo::Module> top_k(const OpText& text) {
  const std::vector<hlo::Shape> operands = operand_shapes(text);
  if (operands.size() != 1 || operands.front().rank() == 0) return std::nullopt;
  hlo::Shape positions = operands.front();
  positions.element_type = hlo::ElementType::s32;
  BodyBuilder body;
  hlo::Instruction sort;
  sort.opcode = hlo::Opcode::sort;
  sort.operands = {body.parameter(operands.front()), body.parameter(positions)};
  sort.shape = hlo::make_tuple_shape({operands.front(), positions});
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
  if (text.opcode == hlo::Opcode::custom_call) return custom_call(text);
  if (text.opcode != hlo::Opcode::fusion) {
    if (auto module = bare_op(text)) return RebuiltOp{*std::move(module), false};
  }
  return fusion_op(text, counts);
}

}  // namespace podsim::validation::profile
