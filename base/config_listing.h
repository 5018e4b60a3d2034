// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"

namespace podsim::base {

/// The entries of a text that Config::to_toml wrote, in its order, read without the built-in layer that declared them:
/// what two machines differ in can be said of any two, those of other versions too. Evidence and source are those of
/// the comments; a value without such a comment is the user's. A string that starts with a digit is a quantity where it
/// parses as one. `name` is what messages call the text. InputError for what is not TOML, or a value that no entry can
/// hold.
std::vector<ConfigEntry> read_listing(std::string_view name, std::string_view toml_text);

/// A line per entry: key, value, evidence, set in (file and line, or the flag), source.
std::string listing_csv(const Config& config);
/// "tpu-v3.toml:12", or "--set".
std::string origin_text(const ConfigEntry& entry);

}  // namespace podsim::base
