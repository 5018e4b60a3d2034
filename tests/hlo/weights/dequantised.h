// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/weights/quantise.h"
#include "hlo/weights/typed_weights.h"
#include "tests/hlo/literals.h"

/// Arguments of a program and of the same program with its weights in another type.
namespace podsim::hlo::testing {

/// The number that each element of a weight stands for: its value times the scale whose index has the element's along
/// dimensions that do not share, and its group's along a grouped one.
inline Literal dequantised(const weights::Quantised& quantised, const weights::TypedWeight& typed) {
  const Shape& shape = quantised.values.shape;
  Literal result{make_shape(ElementType::f32, shape.dimensions), {}, {}};
  for (std::int64_t i = 0; i < shape.element_count(); ++i) {
    std::int64_t rest = i, stride = 1, number = 0;
    std::vector<std::int64_t> index(std::size_t(shape.rank()));
    for (int d = shape.rank(); d-- > 0;) {
      index[std::size_t(d)] = rest % shape.dimensions[std::size_t(d)];
      rest /= shape.dimensions[std::size_t(d)];
    }
    for (int d = shape.rank(), own = quantised.scales.shape.rank(); d-- > 0;) {
      const bool grouped = d == typed.grouped_dimension;
      if (!grouped && typed.shared[std::size_t(d)]) continue;
      number += stride * (grouped ? index[std::size_t(d)] / typed.group : index[std::size_t(d)]);
      stride *= quantised.scales.shape.dimensions[std::size_t(--own)];
    }
    result.values.push_back(round_to(
        ElementType::f32, quantised.values.values[std::size_t(i)] * quantised.scales.values[std::size_t(number)]));
  }
  return result;
}

struct TypedArguments {
  std::vector<Literal> before;  ///< of the program, with weights that the narrow type has
  std::vector<Literal> after;   ///< of the one with typed weights
};

/// From weights of any values, the same weights for both programs.
inline TypedArguments typed_arguments(const std::vector<Literal>& arguments, const weights::TypedWeights& program,
                                      const weights::WeightType& type) {
  TypedArguments result{arguments, arguments};
  result.after.resize(program.module.entry_computation().parameters.size());
  for (const weights::TypedWeight& typed : program.weights) {
    const auto number = std::size_t(typed.parameter);
    const Literal& weight = arguments[number];
    if (typed.scales < 0) {
      Literal narrow = weight;
      narrow.shape.element_type = ElementType::bf16;
      for (double& value : narrow.values) value = round_to(ElementType::bf16, value);
      result.before[number].values = narrow.values;
      result.after[number] = std::move(narrow);
      continue;
    }
    weights::Quantised quantised = weights::quantised(weight, typed, type.type);
    result.before[number].values = dequantised(quantised, typed).values;
    result.after[std::size_t(typed.scales)] = std::move(quantised.scales);
    result.after[number] = std::move(quantised.values);
  }
  return result;
}

}  // namespace podsim::hlo::testing
