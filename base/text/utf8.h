// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace podsim::base::text {

/// The characters (code points) of a UTF-8 text, so that a column counts characters and not bytes. A byte outside any
/// valid sequence counts as one character.
std::vector<std::string_view> utf8_characters(std::string_view text);

/// `text` as valid UTF-8 without control sequences for terminals: U+FFFD replaces each byte outside a valid sequence,
/// and each control character except tabs and line ends. It has as many utf8_characters() as `text`. Texts from users'
/// files go through this into CSV, HTML and the terminal; JSON is written by json_text.h.
std::string printable(std::string_view text);

}  // namespace podsim::base::text
