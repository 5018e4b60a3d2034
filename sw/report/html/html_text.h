// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Text as HTML takes it.
namespace podsim::sw {

/// For text between tags and for attribute values in double or single quotes. Bytes that are no UTF-8, and control
/// characters that HTML refuses, become U+FFFD.
std::string html_escaped(std::string_view text);

/// JSON as the content of a script element: `<` stands as \u003c, so that no text in it can end the element.
std::string script_json(std::string_view json);

/// A figure that people read rounded and programs whole: `<data value="0.119002">119.0 ms</data>`.
std::string html_figure(double value, std::string_view text);

}  // namespace podsim::sw
