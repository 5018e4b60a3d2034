// SPDX-License-Identifier: Apache-2.0
#include "sw/profile/counted_op.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "sw/ir/transform/flops.h"
#include "sw/profile/body_builder.h"
#include "sw/profile/dot_match.h"
#include "sw/profile/op_text.h"
#include "sw/profile/rebuilt_loop.h"

namespace podsim::sw::profile {
namespace {

constexpr double most_bytes_apart = 2;
constexpr double most_flops_apart = 1.3;
/// Fewer FLOPs take less time than the memory traffic: a core does almost five element-wise operations for each byte.
constexpr double hidden_flops_per_byte = 3;
constexpr std::int64_t weights_side = 128;

bool apart(double a, double b, double factor) { return std::max(a, b) > factor * std::min(a, b); }

/// An array of what is read beside the results.
std::vector<ir::Shape> remaining(const FusionFacts& facts) {
  const double rest = facts.bytes.value_or(0) - padded_bytes(facts.results);
  if (rest < 4) return {};
  return {ir::make_shape(ir::ElementType::f32, {std::int64_t(rest / 4)})};
}

/// A result at a time, as long as XLA's bytes hold it. At least one remains.
std::vector<ir::Shape> counted_results(const FusionFacts& facts) {
  std::vector<ir::Shape> results;
  double written = 0;
  for (const ir::Shape& result : facts.results) {
    const double bytes = double(ir::padded_bytes(result).value());
    if (facts.bytes && !results.empty() && written + bytes > *facts.bytes) continue;
    written += bytes;
    results.push_back(result);
  }
  return results;
}

}  // namespace

bool contradicts_counts(const ir::Module& module, const FusionFacts& facts) {
  const ir::transform::Cost cost = ir::transform::cost(module);
  const double bytes = facts.bytes.value_or(0);
  if (bytes > 0 && apart(double(cost.bytes.value()), bytes, most_bytes_apart)) return true;
  const double flops = std::max(double(cost.flops), facts.flops);
  return apart(double(cost.flops), facts.flops, most_flops_apart) &&
         flops > hidden_flops_per_byte * std::max(bytes, double(cost.bytes.value()));
}

ir::Module counted_op(const FusionFacts& facts, CountedUnit unit) {
  FusionFacts counted{counted_results(facts), remaining(facts), facts.flops, {}};
  const auto rows = std::int64_t(facts.flops / (2.0 * double(weights_side * weights_side)));
  if (unit == CountedUnit::vector || rows < 1) return rebuild_loop_fusion(counted);
  BodyBuilder body;
  std::vector<ir::InstructionId> read;
  for (const ir::Shape& operand : counted.operands) read.push_back(body.parameter(operand));
  const ir::InstructionId scalar = body.parameter(ir::make_shape(ir::ElementType::f32, {}));
  ir::Instruction dot = plain_dot(rows, weights_side);
  dot.operands = {body.elementwise(scalar, ir::make_shape(ir::ElementType::bf16, {rows, weights_side}), 1),
                  body.elementwise(scalar, ir::make_shape(ir::ElementType::bf16, {weights_side, weights_side}), 1)};
  const ir::InstructionId product = body.add(std::move(dot));
  std::vector<ir::InstructionId> results;
  for (const ir::Shape& result : counted.results) {
    results.push_back(body.elementwise(product, result, 1, results.empty() ? read : std::vector<ir::InstructionId>{}));
  }
  return std::move(body).fusion(results);
}

}  // namespace podsim::sw::profile
