// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/typed_weights.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "hlo/weights/callees.h"
#include "hlo/weights/computation_typing.h"
#include "hlo/weights/scale_sharding.h"
#include "hlo/weights/weight_uses.h"

namespace podsim::hlo::weights {
namespace {

bool is_trained_type(ElementType type) {
  return type == ElementType::f32 || type == ElementType::bf16 || type == ElementType::f16;
}

/// The dimension along which a weight has groups, the last over which products sum; -1 if groups do not divide it.
int grouped_dimension(const Shape& shape, const std::vector<bool>& summed, std::int64_t group) {
  const auto last = std::ranges::find(summed.rbegin(), summed.rend(), true);
  if (group == 0 || last == summed.rend()) return -1;
  const auto dimension = std::size_t(summed.rend() - last - 1);
  return shape.dimensions[dimension] % group == 0 ? int(dimension) : -1;
}

/// The scales of a weight as an array of their own.
Shape scales_shape(const Shape& weight, const TypedWeight& typed) {
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < weight.rank(); ++d) {
    const std::int64_t size = weight.dimensions[std::size_t(d)];
    if (d == typed.grouped_dimension) {
      sizes.push_back(size / typed.group);
    } else if (!typed.shared[std::size_t(d)]) {
      sizes.push_back(size);
    }
  }
  return make_shape(ElementType::bf16, std::move(sizes));
}

}  // namespace

TypedWeights with_typed_weights(Module module, std::span<const std::int64_t> parameters, const WeightType& type) {
  TypedWeights result;
  module = with_own_callees(module);
  const Computation& entry = module.computations[std::size_t(module.entry)];
  const std::vector<WeightUse> uses =
      type.is_scaled() ? weight_uses(module, parameters) : std::vector<WeightUse>(parameters.size());
  std::map<std::int64_t, ParameterTyping> typings;
  auto scales = std::int64_t(entry.parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Instruction& parameter = entry[entry.parameters[std::size_t(parameters[i])]];
    const Shape& shape = parameter.shape;
    if (shape.is_tuple() || !is_trained_type(shape.element_type)) continue;
    TypedWeight typed{.parameter = parameters[i]};
    ParameterTyping typing{.type = ElementType::bf16};
    if (uses[i].multiplied) {
      typed.scales = scales++;
      typed.shared = uses[i].summed;
      if (!uses[i].looked_up) typed.grouped_dimension = grouped_dimension(shape, uses[i].summed, type.group);
      typed.group = typed.grouped_dimension < 0 ? 0 : type.group;
      typing = {.type = type.type, .scales = scales_shape(shape, typed), .weight = typed};
      typing.scales_sharding = scale_sharding(parameter.sharding.get(), typed, shape.rank());
    } else if (shape.element_type != ElementType::f32) {
      continue;
    }
    typings.emplace(parameters[i], std::move(typing));
    result.weights.push_back(std::move(typed));
  }
  type_entry(module, typings);
  result.module = std::move(module);
  return result;
}

}  // namespace podsim::hlo::weights
