// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace podsim::app::commands {

/// Writes the page of a folder that `podsim run -o` made, and prints its path. `output` empty: report.html in the
/// folder. Throws InputError as report::html::read_run_files does.
void write_run_page(const std::string& from, const std::string& output);

}  // namespace podsim::app::commands
