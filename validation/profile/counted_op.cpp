// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/counted_op.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "hlo/transform/flops.h"
#include "validation/profile/body_builder.h"
#include "validation/profile/dot_match.h"
#include "validation/profile/measured_array.h"
#include "validation/profile/op_text.h"
#include "validation/profile/rebuilt_loop.h"

namespace podsim::validation::profile {
namespace {

constexpr double max_bytes_apart = 2;
constexpr double max_flops_apart = 1.3;
/// Fewer FLOPs take less time than the memory traffic: a core does almost five element-wise operations for each byte.
constexpr double hidden_flops_per_byte = 3;

bool apart(double a, double b, double factor) { return std::max(a, b) > factor * std::min(a, b); }

/// The bytes that the op moves in addition to its results, as one array of f32; none below 4 bytes.
std::vector<hlo::Shape> remaining(const FusionFacts& facts) {
  const double rest = facts.bytes.value_or(0) - padded_bytes(facts.results);
  if (rest < 4) return {};
  return {hlo::make_shape(hlo::ElementType::f32, {std::int64_t(rest / 4)})};
}

/// A result at a time, as long as XLA's bytes hold it. At least one remains.
std::vector<hlo::Shape> counted_results(const FusionFacts& facts) {
  std::vector<hlo::Shape> results;
  double written = 0;
  for (const hlo::Shape& result : facts.results) {
    const double bytes = double(hlo::padded_bytes(result).value());
    if (facts.bytes && !results.empty() && written + bytes > *facts.bytes) continue;
    written += bytes;
    results.push_back(result);
  }
  return results;
}

}  // namespace

bool contradicts_counts(const hlo::Module& module, const FusionFacts& facts) {
  const hlo::transform::Cost cost = hlo::transform::cost(module);
  const double bytes = facts.bytes.value_or(0);
  if (bytes > 0 && apart(double(cost.bytes.value()), bytes, max_bytes_apart)) return true;
  const double flops = std::max(double(cost.flops), facts.flops);
  return apart(double(cost.flops), facts.flops, max_flops_apart) &&
         flops > hidden_flops_per_byte * std::max(bytes, double(cost.bytes.value()));
}

hlo::Module counted_op(const FusionFacts& facts, CountedUnit unit) {
  FusionFacts counted{counted_results(facts), remaining(facts), facts.flops, {}};
  const auto rows = std::int64_t(facts.flops / (2.0 * double(measured_array_side * measured_array_side)));
  if (unit == CountedUnit::vector || rows < 1) return rebuild_loop_fusion(counted);
  BodyBuilder body;
  std::vector<hlo::InstructionId> read;
  for (const hlo::Shape& operand : counted.operands) read.push_back(body.parameter(operand));
  const hlo::InstructionId scalar = body.parameter(hlo::make_shape(hlo::ElementType::f32, {}));
  hlo::Instruction dot = plain_dot(rows, measured_array_side);
  dot.operands = {
      body.elementwise(scalar, hlo::make_shape(hlo::ElementType::bf16, {rows, measured_array_side}), 1),
      body.elementwise(scalar, hlo::make_shape(hlo::ElementType::bf16, {measured_array_side, measured_array_side}), 1)};
  const hlo::InstructionId product = body.add(std::move(dot));
  std::vector<hlo::InstructionId> results;
  for (const hlo::Shape& result : counted.results) {
    results.push_back(body.elementwise(product, result, 1, results.empty() ? read : std::vector<hlo::InstructionId>{}));
  }
  return std::move(body).fusion(results);
}

}  // namespace podsim::validation::profile
