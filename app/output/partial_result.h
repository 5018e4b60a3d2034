// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/host/interrupt.h"

namespace podsim::app::output {

/// Prints what a command has done when it is interrupted, as a text or a JSON object, marked as partial with the place
/// of the interruption.
void print_partial(const std::string& result, bool json, const base::host::Interrupted& interruption);

}  // namespace podsim::app::output
