// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "hlo/graph.h"
#include "hlo/weights/typed_weights.h"

namespace podsim::hlo::weights {

/// What an entry parameter becomes.
struct ParameterTyping {
  ElementType type = ElementType::bf16;
  std::optional<Shape> scales = std::nullopt;  ///< of the parameter that is added for them
  TypedWeight weight = {};                     ///< of one with scales
  std::shared_ptr<const Sharding> scales_sharding = nullptr;
};

/// Changes the types of entry parameters, by number, and how the module reads them, whose loops and conditionals have
/// computations of their own (callees.h). Parameters of scales are added
/// behind all others in the order of their weights.
void type_entry(Module& module, const std::map<std::int64_t, ParameterTyping>& typings);

}  // namespace podsim::hlo::weights
