// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/serve/serve_options.h"

namespace CLI {
class App;
}

/// The flags of `podsim serve`. `options` outlive the parsing.
namespace podsim::app::serve {

/// A number from `least` to `most`, which may end in `suffix`. InputError at the flag; `what` is the kind of number.
double serving_number(const char* flag, const std::string& text, const std::string& suffix, double least, double most,
                      const char* what);

/// Arrivals and lengths of the requests.
void add_load_flags(CLI::App& command, ServeOptions& options);
/// Replicas, their batches, caches and stops.
void add_server_flags(CLI::App& command, ServeOptions& options);

}  // namespace podsim::app::serve
