// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace podsim::app::commands::hlo_parts {

/// `podsim hlo eval`.
void add_hlo_eval(CLI::App& hlo);

}  // namespace podsim::app::commands::hlo_parts
