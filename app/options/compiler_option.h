// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "sw/driver/compiler_year.h"

namespace CLI {
class App;
}

namespace podsim::app::options {

/// Adds --compiler, which names the year of a compiler; `choose` gets its record. `fallback` says what holds without
/// it.
void add_compiler_option(CLI::App& command, std::function<void(const sw::driver::CompilerYear&)> choose,
                         const std::string& fallback = "2020");

}  // namespace podsim::app::options
