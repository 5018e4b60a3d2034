// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/serve/serve_options.h"

namespace CLI {
class App;
}

/// The flags of `podsim serve`. `options` outlive the parsing.
namespace podsim::app::serve {

/// Arrivals and lengths of the requests.
void add_load_flags(CLI::App& command, ServeOptions& options);
/// Replicas, their batches, caches and stops.
void add_server_flags(CLI::App& command, ServeOptions& options);

}  // namespace podsim::app::serve
