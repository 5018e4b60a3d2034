// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "hlo/element_type.h"

/// Programs whose weights are kept in a narrower type than that in which they were trained.
namespace podsim::hlo::weights {

/// The type of a deployed program's weights.
struct WeightType {
  ElementType type = ElementType::bf16;
  /// Elements along the last dimension that a product sums over which share a scale. 0: all elements of an output
  /// channel do.
  std::int64_t group = 0;

  /// Whether weights are multiples of scales: all types but bf16.
  bool is_scaled() const { return type != ElementType::bf16; }
  bool operator==(const WeightType&) const = default;
};

/// Reads "bf16", "int8", "int4" or "fp8", the last three also with groups: "int4:group=128". fp8 is f8e4m3fn. Throws
/// InputError, whose location is the text.
WeightType parse_weight_type(const std::string& text);

/// The form that parse_weight_type() reads.
std::string to_string(const WeightType& type);

/// What the largest weight of a channel or group becomes: 127 in s8, 7 in s4, 448, the largest number, in f8e4m3fn.
double largest_of(ElementType type);

}  // namespace podsim::hlo::weights
