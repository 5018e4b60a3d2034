// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "app/serve/serve_options.h"
#include "base/units.h"

namespace CLI {
class App;
}

/// The flags of `podsim serve`. `options` outlive the parsing.
namespace podsim::app::serve {

/// A number from `least` to `most`, which may end in `suffix`. InputError at the flag; `what` is the kind of number.
double serving_number(const char* flag, const std::string& text, const std::string& suffix, double least, double most,
                      const char* what);

/// Declares a flag of a time up to 116 days.
void add_time(CLI::App& command, const char* flag, const std::function<void(base::Duration)>& take, const char* help);

/// Arrivals and lengths of the requests.
void add_load_flags(CLI::App& command, ServeOptions& options);
/// Replicas, their batches, caches, drafts and stops.
void add_server_flags(CLI::App& command, ServeOptions& options);

}  // namespace podsim::app::serve
