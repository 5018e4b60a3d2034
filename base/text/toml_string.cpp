// SPDX-License-Identifier: Apache-2.0
#include "base/text/toml_string.h"

#include <fmt/format.h>

namespace podsim::base::text {

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += fmt::format("\\{}", c);
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04x}", unsigned(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace podsim::base::text
