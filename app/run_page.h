// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace podsim::app {

/// Writes what `podsim run -o` left in a folder as one page, and says where. `output` empty: report.html in the folder.
/// InputError as sw::read_run_files.
void write_run_page(const std::string& from, const std::string& output);

}  // namespace podsim::app
