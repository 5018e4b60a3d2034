// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Escapes text for HTML.
namespace podsim::report::html {

/// Escapes text between tags and attribute values in double or single quotes. The text is
/// printable (base/text/utf8.h).
std::string html_escaped(std::string_view text);

/// JSON as the content of a script element: `<` is written as \u003c, so that no text in it can end the element.
std::string script_json(std::string_view json);

/// A figure that is shown rounded and has its full value for programs: `<data value="0.119002">119.0 ms</data>`.
std::string html_figure(double value, std::string_view text);

}  // namespace podsim::report::html
