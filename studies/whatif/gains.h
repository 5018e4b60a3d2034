// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "studies/sweep/trials.h"
#include "studies/whatif/change.h"

namespace podsim::studies::whatif {

/// A change, with what a step gains by it.
struct Gain {
  Change change;
  std::string command;  ///< that runs it, quoted for a shell
  double step_s = 0;
  std::optional<double> gain;  ///< rate over that of the step as it is; std::nullopt if the change is refused
  std::string refusal;         ///< why
};

/// The step as it is, and the gains in the order of the changes.
struct Gains {
  std::string command;             ///< of the step as it is
  nlohmann::ordered_json figures;  ///< of the step as it is
  std::vector<Gain> of;
};

/// Adds the gain of a change. A rate is samples per second; of a step that has no samples, steps per second.
void add_gain(Gains& gains, Change change, std::string command, const sweep::Trial& trial);

/// A table: a line for each resource with the gains of twice and half of it, and for each choice, the greatest gain
/// first, with a bar; then what was refused, and why.
std::string gains_text(const Gains& gains);
nlohmann::ordered_json gains_json(const Gains& gains);
/// The same as a drawing: a bar for each change, from 1 to its gain.
std::string gains_svg(const Gains& gains);

}  // namespace podsim::studies::whatif
