// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "validation/measured/published/published_steps.h"

/// Steps between those that are published, so that the model's steps form a line over the number of chips.
namespace podsim::validation::measured::published {

/// Rows that are not published, with times of 0: for each network and machine every power of two of chips that lies
/// between two rows with commands; around a single row of data parallelism half and twice its chips. Such a row has the
/// columns of the row on fewer chips (the single one), its samples per core, but not more samples in all than the row
/// on more chips, and the slice that is closest to a square. choose_command() has set its command.
std::vector<PublishedStep> steps_between(const std::vector<PublishedStep>& rows);

/// One network on one machine.
struct ScalingLine {
  std::string network, generation;
  std::vector<SimulatedStep> published = {};  ///< in order of chips
  std::vector<SimulatedStep> line = {};  ///< simulated steps in order of chips; of rows with as many chips the one with
                                         ///< the largest batch
};

/// The lines of the published rows and those in between, in the order of the published ones.
std::vector<ScalingLine> scaling_lines(const SimulatedSteps& steps);

}  // namespace podsim::validation::measured::published
