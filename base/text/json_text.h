// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace podsim::base::text {

/// JSON as text, on one line or indented. All JSON of the program is written by this function: names come from users'
/// files, and U+FFFD stands for each of their bytes that is not UTF-8.
template <class Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace podsim::base::text
