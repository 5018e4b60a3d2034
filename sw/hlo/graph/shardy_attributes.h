// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "sw/hlo/module.h"
#include "sw/stablehlo/sharding_text.h"

namespace podsim::sw::hlo::graph {

/// Shardings that HLO text carries as attributes of Shardy: the meshes in the module's frontend attribute
/// xla.sdy.meshes, and xla.sdy.sharding of instructions.
class ShardyAttributes {
 public:
  /// Throws stablehlo::Fault at a mesh that is none.
  explicit ShardyAttributes(const Module& module);

  /// The sharding of an instruction in the form of HLO, by its frontend attributes: "{devices=[2,1]<=[2]}", for several
  /// values "{{...}, {...}}". Empty if they have none or it constrains nothing. Throws stablehlo::Fault if it has no
  /// such form. The view is valid as long as this object.
  std::string_view sharding(std::string_view frontend_attributes);

 private:
  std::deque<std::string> texts_;  ///< without escapes
  stablehlo::ShardingTexts meshes_;
  std::map<std::string_view, std::string> known_;  ///< by the attributes
};

}  // namespace podsim::sw::hlo::graph
