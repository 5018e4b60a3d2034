// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace podsim::structure {

/// Test suites and tests of a source text that are not in CamelCase, as "Suite.name".
std::vector<std::string> misnamed_tests(std::string_view text);

/// Constants of a source text whose names are not in snake_case: "kLimit".
std::vector<std::string> misnamed_constants(std::string_view text);

}  // namespace podsim::structure
