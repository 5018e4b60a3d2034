// SPDX-License-Identifier: Apache-2.0
#include "report/html/html_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text/utf8.h"

namespace podsim::report::html {

std::string html_escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : base::text::printable(text)) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string script_json(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

std::string html_figure(double value, std::string_view text) {
  if (!std::isfinite(value)) return "-";  // a share of nothing
  return fmt::format("<data value=\"{}\">{}</data>", value, html_escaped(text));
}

}  // namespace podsim::report::html
