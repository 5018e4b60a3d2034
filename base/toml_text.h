// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <string_view>

namespace podsim::base {

/// Parses a TOML text. Throws toml::parse_error, and InputError at a key of more than 256 parts: the parser and all
/// that follow the tables of such a key call themselves once per part.
toml::table parse_toml(std::string_view text, std::string_view file);

}  // namespace podsim::base
