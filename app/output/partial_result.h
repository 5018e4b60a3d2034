// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/host/interrupt.h"

namespace podsim::app::output {

/// Prints what a command has done when it is interrupted, as a text or a JSON object, marked as partial and with the
/// point of the interruption.
void print_partial(const std::string& result, bool json, const base::host::Interrupted& interruption);

/// Does the work of a command, prints its result and writes its files. After an interruption these are of what is done,
/// and the interruption is thrown again. An output that cannot be written loses no other (base/host/write_all.h).
void publish(bool json, const std::function<void()>& work, const std::function<std::string()>& result,
             std::vector<std::function<void()>> files = {});

}  // namespace podsim::app::output
