// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::report::run {

/// Where a JSON file of a run's folder has a value of a type that a run does not write under its key, such as a text
/// for "time_s": line and column of the value. Nothing if no such value is found.
std::optional<base::Diagnostic> json_fault(const std::filesystem::path& file);

/// Throws the InputError for files of which one is no JSON that a run writes: at the value where there is a
/// json_fault(), else with their names.
[[noreturn]] void reject_json(const std::vector<std::filesystem::path>& files);

}  // namespace podsim::report::run
