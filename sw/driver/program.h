// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hlo/graph.h"

namespace podsim::sw::driver {

/// What a network tells of its step and a text does not.
struct NetworkFacts {
  /// Values of the entry that inference is for. Empty if the module is a forward pass already, or if nothing tells them
  /// from the rest of the program.
  std::vector<hlo::InstructionId> predictions;
  std::vector<std::int64_t> frozen;  ///< numbers of the network's parameters that are not trained
  bool decodes = false;              ///< a step of a decoder: what it replaces are its caches
};

/// What is compiled: the step of one core, with its collectives, or of all cores together, with its donations.
struct Program {
  std::string name;  ///< in messages
  hlo::Module module;
  std::optional<NetworkFacts> network = std::nullopt;  ///< std::nullopt for a text
  /// Numbers of the entry parameters that are the network's, for a text that does not tell; std::nullopt: not known.
  std::optional<std::vector<std::int64_t>> parameters = std::nullopt;
};

}  // namespace podsim::sw::driver
