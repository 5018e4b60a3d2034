// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/frontend_attributes.h"

#include <charconv>

#include "hlo/stablehlo/attribute_value.h"

namespace podsim::hlo::stablehlo {
namespace {

/// A string of MLIR, whose escapes are hexadecimal, as one of HLO.
std::string hlo_string(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      int code = 0;
      const char* const digits = text.data() + i + 1;
      const bool is_code = i + 2 < text.size() && std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
      c = is_code ? char(code) : text[i + 1];
      i += is_code ? 2 : 1;
    }
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

}  // namespace

std::string frontend_attributes(std::string_view dictionary) {
  std::string made;
  for (const std::string_view part : parts(dictionary)) {
    const std::size_t equals = part.find('=');
    const std::string_view name = trimmed(part.substr(0, equals));
    if (equals == std::string_view::npos || !name.starts_with("xla.sdy.")) continue;
    std::string_view value = trimmed(part.substr(equals + 1));
    if (value.size() >= 2 && value.starts_with('"')) value = value.substr(1, value.size() - 2);
    made += made.empty() ? ", frontend_attributes={" : ",";
    made += name;
    made += "=\"" + hlo_string(value) + "\"";
  }
  return made.empty() ? made : made + "}";
}

}  // namespace podsim::hlo::stablehlo
