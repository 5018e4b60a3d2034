// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Custom calls that annotate a value for the compiler and compute nothing: those of XLA's SPMD partitioner
/// (xla/service/spmd), of its host-memory offloading and of its 64-bit rewriter. All other code asks this list.
namespace podsim::hlo::rules {

struct Annotation {
  std::string_view target;  ///< of the custom call
  bool returns_operand;     ///< where shapes are equal, the result is operand 0
  bool same_sharding;       ///< result and operand 0 have the same sharding
  bool is_free;             ///< takes no time on the device; false where the value moves to another memory
};

/// The annotation with this target; null if the custom call is not an annotation.
const Annotation* find_annotation(std::string_view target);

}  // namespace podsim::hlo::rules
