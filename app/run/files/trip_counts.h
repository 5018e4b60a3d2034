// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hlo/graph.h"

namespace CLI {
class App;
}

namespace podsim::app::run::files {

/// Declares --trips, whose values "NAME=N" go to `trips`.
void add_trips_option(CLI::App& command, std::vector<std::string>& trips);

/// Sets the trip count of loops that the text does not tell. NAME is a pattern of the loop's name or op_name. Throws
/// InputError at the flag if a value has no such form, or matches no loop, or one whose count follows from the text.
void set_trip_counts(hlo::Module& module, const std::vector<std::string>& trips);

}  // namespace podsim::app::run::files
