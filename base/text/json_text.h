// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace podsim::base::text {

/// Returns JSON as text: on one line, or indented by `indent` blanks per level. All JSON of the program is written by
/// this function. Names come from users' files; U+FFFD replaces each of their bytes that is not UTF-8.
template <class Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace podsim::base::text
