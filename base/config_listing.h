// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"

namespace podsim::base {

/// Reads the entries of a text that Config::to_toml() wrote, in its order, without the built-in layer that declared
/// them, so that any two machines can be compared, also those of other versions. Evidence and source are those of the
/// comments; a value without such a comment counts as set by the user. A string that starts with a digit is a quantity
/// if it parses as one. `name` is the name of the text in messages. InputError if the text is not TOML or no entry can
/// hold a value.
std::vector<ConfigEntry> read_listing(std::string_view name, std::string_view toml_text);

/// Returns CSV with a line per entry: key, value, evidence, set in (file and line, or the flag), source.
std::string listing_csv(const Config& config);
/// "tpu-v3.toml:12", or "--set".
std::string origin_text(const ConfigEntry& entry);

}  // namespace podsim::base
