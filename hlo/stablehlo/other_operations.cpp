// SPDX-License-Identifier: Apache-2.0
// Part of hlo/stablehlo/operation_table.h.
#include <fmt/format.h>

#include <array>

#include "hlo/stablehlo/operation_table.h"

namespace podsim::hlo::stablehlo {
namespace {

void write_rng_bit_generator(OperationWriter& writer) {
  const std::string_view given = word(writer.any_attribute({"algorithm", "rng_algorithm"}));
  const std::string_view algorithm = given == "THREE_FRY" ? "rng_three_fry"
                                     : given == "PHILOX"  ? "rng_philox"
                                                          : "rng_default";
  writer.result("rng-bit-generator", writer.operands(), fmt::format(", algorithm={}", algorithm));
}

/// The third operand is the shape, which the result's type says.
void write_rng(OperationWriter& writer) {
  writer.need_operands(2);
  const std::string_view distribution = word(writer.any_attribute({"distribution", "rng_distribution"}));
  writer.result("rng", {writer.operand(0), writer.operand(1)},
                fmt::format(", distribution={}", distribution == "NORMAL" ? "rng_normal" : "rng_uniform"));
}

/// What podsim.jax says of a gradient, "none" of a stop_gradient, with its quotes; empty if it says nothing.
std::string_view said_of_gradient(OperationWriter& writer) {
  if (!writer.has("mhlo.frontend_attributes")) return "";
  const std::string_view all = writer.attribute("mhlo.frontend_attributes");
  return writer.module().located(all, [&] { return field(all, "gradient"); });
}

/// Several operands pass a barrier as a tuple. One that says something of its gradient is a copy.
void write_barrier(OperationWriter& writer) {
  if (const std::string_view said = said_of_gradient(writer); writer.count() == 1 && !said.empty()) {
    return writer.result("copy", writer.operands(), fmt::format(", frontend_attributes={{gradient={}}}", said));
  }
  if (writer.count() == 1) return writer.result("opt-barrier", writer.operands());
  const std::string type = writer.module().types().tuple(writer.operation().result_types);
  const std::string tuple[] = {writer.add(type, "tuple", writer.operands())};
  const std::string sharding = writer.module().sharding(writer.operation().attributes, writer.writer().manual_axes);
  writer.define_elements(writer.add(type, "opt-barrier", tuple, sharding));
}

void write_tuple(OperationWriter& writer) { writer.result("tuple", writer.operands()); }

void write_get_tuple_element(OperationWriter& writer) {
  const std::string_view index = writer.has("index") ? writer.attribute("index") : writer.operation().brackets;
  const Integers number = writer.integer_list(index);
  if (number.size() != 1) writer.fail("expected one index");
  writer.result("get-tuple-element", writer.operands(), fmt::format(", index={}", number[0]));
}

void write_after_all(OperationWriter& writer) { writer.result("after-all", writer.operands()); }

/// chlo.top_k, and custom calls of the same meaning.
void write_top_k(OperationWriter& writer) {
  std::string_view k = writer.any_attribute({"k"});
  if (writer.has("mhlo.attributes")) {
    const std::string_view all = writer.attribute("mhlo.attributes");
    k = writer.module().located(all, [&] { return field(all, "k"); });
  }
  if (k.empty()) writer.fail("a top_k needs 'k'");
  writer.result("topk", writer.operands(), fmt::format(", k={}, largest=true", writer.integer_of(k)));
}

/// A string of MLIR as one of HLO; the escapes are the same.
std::string backend_config(OperationWriter& writer) {
  const std::string_view value = writer.any_attribute({"backend_config"});
  if (!value.starts_with('"') || value.size() <= 2) return "";
  return fmt::format(", backend_config={}", value);
}

void write_custom_call(OperationWriter& writer) {
  std::string_view target = writer.operation().callee;
  if (writer.has("call_target_name")) target = word(writer.attribute("call_target_name"));
  if (target.empty()) writer.fail("a custom call names its target, such as @Sharding");
  if (target == "mhlo.topk") return write_top_k(writer);
  if (const std::string_view opcode = elementwise_opcode("chlo." + std::string(target.substr(target.rfind('.') + 1)));
      target.starts_with("mhlo.") && !opcode.empty()) {
    return writer.result(opcode, writer.operands());
  }
  if (target == "annotate_device_placement" && writer.count() == 1) {
    writer.module().warn_once(target, "annotate_device_placement is not used: all arrays are in HBM");
    return writer.define({writer.operand(0)});
  }
  std::string attributes = fmt::format(", custom_call_target=\"{}\"", target);
  if (writer.has("has_side_effect") && boolean(writer.attribute("has_side_effect"))) {
    attributes += ", custom_call_has_side_effect=true";
  }
  writer.result("custom-call", writer.operands(), attributes + backend_config(writer));
}

constexpr auto rest_rows = std::to_array<OperationRow>({
    {"stablehlo.rng_bit_generator", write_rng_bit_generator},
    {"stablehlo.rng", write_rng},
    {"stablehlo.optimization_barrier", write_barrier},
    {"stablehlo.tuple", write_tuple},
    {"stablehlo.get_tuple_element", write_get_tuple_element},
    {"stablehlo.after_all", write_after_all},
    {"stablehlo.create_token", write_after_all},
    {"chlo.top_k", write_top_k},
    {"stablehlo.custom_call", write_custom_call},
});

}  // namespace

std::span<const OperationRow> other_rows() { return rest_rows; }

}  // namespace podsim::hlo::stablehlo
