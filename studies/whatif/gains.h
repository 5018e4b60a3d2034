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
  std::optional<double> gain = {};  ///< by the measure, over that of the step as it is; std::nullopt if it is refused
  double rate = 0,
         per_joule = 0;      ///< samples, or else steps, per second and per joule, over those of the step as it is
  std::string refusal = {};  ///< why
};

/// What a gain is of: samples per second or per joule; of a step that has no samples, steps.
enum class Measure { rate, energy };

/// The step as it is, and the gains in the order of the changes.
struct Gains {
  Measure by = Measure::rate;
  std::string command;             ///< of the step as it is
  nlohmann::ordered_json figures;  ///< of the step as it is
  std::vector<Gain> of;
};

/// Adds the gain of a change.
void add_gain(Gains& gains, Change change, std::string command, const sweep::Trial& trial);

/// A table: a line for each resource with the gains of twice and half of it, and for each choice, the greatest gain
/// first, with a bar; then what was refused, and why.
std::string gains_text(const Gains& gains);
nlohmann::ordered_json gains_json(const Gains& gains);
/// The same as a drawing: a bar for each change, from 1 to its gain.
std::string gains_svg(const Gains& gains);

}  // namespace podsim::studies::whatif
