// SPDX-License-Identifier: Apache-2.0
// Part of hlo/stablehlo/operation_table.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "hlo/stablehlo/operation_table.h"

namespace podsim::hlo::stablehlo {
namespace {

std::string annotated(OperationWriter& writer, const std::string& operand, const std::string& type,
                      std::string_view target, const std::string& sharding, const std::string& more = "") {
  const std::string operands[] = {operand};
  return writer.add(type, "custom-call", operands,
                    fmt::format(", custom_call_target=\"{}\", sharding={}{}", target, sharding, more));
}

void write_constraint(OperationWriter& writer) {
  writer.need_operands(1);
  std::string sharding;
  std::string_view value = writer.operation().brackets;
  if (value.empty() && writer.has("sharding")) value = writer.attribute("sharding");
  if (value.empty()) writer.fail("a constraint names a sharding, such as <@mesh, [{\"x\"}]>");
  if (!writer.writer().is_combiner) sharding = writer.module().shardy(value, writer.writer().manual_axes);
  if (sharding.empty()) return writer.define({writer.operand(0)});
  writer.define({annotated(writer, writer.operand(0), writer.result_type().hlo, "Sharding", sharding)});
}

/// Its operation is the identity; what it says to the propagation is not used.
void write_ignored(OperationWriter& writer) {
  writer.module().warn_once(writer.operation().name, fmt::format("{} is not used", writer.operation().name));
  if (writer.count() == 1 && !writer.operation().results.empty()) writer.define({writer.operand(0)});
}

/// The body of a manual computation works on the shards of one device: its arguments come from SPMDFullToShardShape,
/// and its results go to SPMDShardToFullShape.
class ManualComputation {
 public:
  explicit ManualComputation(OperationWriter& writer) : writer_(writer), module_(writer.module()) {}

  void write() {
    writer_.need_regions(1);
    const Region& body = writer_.operation().regions[0];
    const auto in = list("in_shardings"), out = list("out_shardings");
    const std::string_view axes_text = writer_.attribute("manual_axes");
    const std::vector<std::string_view> axes = module_.located(axes_text, [&] { return parts(axes_text); });
    if (in.size() != writer_.count() || body.arguments.size() != writer_.count()) {
      writer_.fail("the operands, the arguments and in_shardings differ in number");
    }
    ComputationWriter& writer = writer_.writer();
    const std::vector<std::string_view> outer = writer.manual_axes;
    std::vector<std::string_view> all = outer;
    for (const std::string_view axis : axes) {
      if (std::ranges::find(all, axis) != all.end()) module_.fail(axis, "this axis is manual already");
      all.push_back(axis);
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Type full = writer_.operand_type(i), shard = module_.types()[body.arguments[i].type];
      check_shard(in[i], full, shard, axes);
      const std::string manual_form = manual_sharding(in[i], shard.dimensions.size(), all);
      const std::string open = open_dimensions(in[i], manual_form);
      const std::string given = annotated(writer_, writer_.operand(i), full.hlo, "Sharding", whole(in[i], outer), open);
      const std::string manual =
          axes.empty() ? given : annotated(writer_, given, shard.hlo, "SPMDFullToShardShape", manual_form, open);
      writer.define(body.arguments[i].name, {{manual, body.arguments[i].type, nullptr}});
    }
    writer.manual_axes = all;
    const std::vector<Value> results = module_.write_operations(body, writer);
    writer.manual_axes = outer;
    if (out.size() != results.size() || writer_.operation().result_types.size() != results.size()) {
      writer_.fail("the results and out_shardings differ in number");
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      check_shard(out[i], writer_.result_type(i), module_.types()[results[i].type], axes);
    }
    define_results(results, out, all, outer);
  }

 private:
  std::vector<std::string_view> list(std::string_view name) {
    const std::string_view value = writer_.attribute(name);
    return module_.located(value, [&] { return ShardingTexts::list(value); });
  }

  /// Requires that a shard is a part of the whole array as the sharding divides it along the manual axes.
  void check_shard(std::string_view sharding, const Type& full, const Type& shard,
                   const std::vector<std::string_view>& axes) {
    const Integers parts = module_.located(
        sharding, [&] { return module_.shardings().parts_along(sharding, full.dimensions.size(), axes); });
    bool fits = full.element == shard.element && full.dimensions.size() == shard.dimensions.size();
    for (std::size_t d = 0; fits && d < parts.size(); ++d) fits = full.dimensions[d] == shard.dimensions[d] * parts[d];
    if (fits) return;
    module_.fail(sharding, fmt::format("{} inside and {} outside are not the shard and the whole of an array that is "
                                       "divided by [{}] along the manual axes",
                                       shard.hlo, full.hlo, fmt::join(parts, ", ")));
  }

  std::string whole(std::string_view sharding, const std::vector<std::string_view>& outer) {
    std::string hlo = module_.located(sharding, [&] { return module_.shardings().convert(sharding, outer).hlo; });
    return hlo.empty() ? "{replicated}" : hlo;
  }

  /// The dimensions that may be divided further, as XLA writes them; a value that is manual along all axes has none.
  std::string open_dimensions(std::string_view sharding, const std::string& manual_form) {
    const Integers open = module_.located(sharding, [&] { return ShardingTexts::open_dimensions(sharding); });
    if (open.empty() || manual_form == "{manual}") return "";
    return fmt::format(", backend_config=\"unspecified_dims=[{}]\"", fmt::join(open, ","));
  }

  std::string manual_sharding(std::string_view sharding, std::size_t rank, const std::vector<std::string_view>& axes) {
    return module_.located(sharding, [&] { return module_.shardings().manual(sharding, rank, axes); });
  }

  void define_results(const std::vector<Value>& results, const std::vector<std::string_view>& out,
                      const std::vector<std::string_view>& all, const std::vector<std::string_view>& outer) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Type shard = module_.types()[results[i].type], full = writer_.result_type(i);
      if (all.size() == outer.size()) {
        names.push_back(annotated(writer_, results[i].name, full.hlo, "Sharding", whole(out[i], outer)));
        continue;
      }
      const std::string manual_form = manual_sharding(out[i], shard.dimensions.size(), all);
      const std::string open = open_dimensions(out[i], manual_form);
      const std::string manual = annotated(writer_, results[i].name, shard.hlo, "Sharding", manual_form, open);
      names.push_back(annotated(writer_, manual, full.hlo, "SPMDShardToFullShape", whole(out[i], outer), open));
    }
    writer_.define(names);
  }

  OperationWriter& writer_;
  Translator& module_;
};

void write_manual_computation(OperationWriter& writer) { ManualComputation(writer).write(); }

constexpr auto shardy_rows = std::to_array<OperationRow>({
    {"sdy.sharding_constraint", write_constraint},
    {"sdy.reshard", write_constraint},
    {"sdy.manual_computation", write_manual_computation},
    {"sdy.propagation_barrier", write_ignored},
    {"sdy.sharding_group", write_ignored},
    {"sdy.data_flow_edge", write_ignored},
});

}  // namespace

std::span<const OperationRow> sharding_rows() { return shardy_rows; }

}  // namespace podsim::hlo::stablehlo
