// SPDX-License-Identifier: Apache-2.0
#include "base/text/csv_field.h"

#include "base/text/utf8.h"

namespace podsim::base::text {

std::string csv_field(const std::string& cell) {
  const std::string text = printable(cell);
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace podsim::base::text
