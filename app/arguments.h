// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

/// What the commands share to read their arguments and to point at what is wrong with them:
///
///   --optimizer: error: 'adam' is not an optimizer
///      | adam
///      | ^~~~ one of: sgd_momentum, lars
namespace podsim::app {

/// The value of a flag as a place to point at, all of it or a part.
base::SourceLocation argument_location(std::string_view flag, std::string_view text, std::size_t offset = 0,
                                       std::size_t length = std::string_view::npos);

/// Runs `body`; what it reports without a place gets that of the flag's value.
void locate_errors(std::string_view flag, std::string_view text, const std::function<void()>& body);

/// InputError when `text` is not a whole number between the two.
std::int64_t parse_whole_number(std::string_view flag, const std::string& text, std::int64_t least, std::int64_t most);

/// Index of `text` in `choices`; InputError with the nearest of them when there is none. `what` names the kind of
/// thing with its article, as in "an optimizer".
std::size_t parse_choice(std::string_view flag, const std::string& text, std::string_view what,
                         const std::vector<std::string>& choices);

/// InputError when a flag that takes a path was given an empty one.
std::string parse_path(std::string_view flag, const std::string& text);

/// `words` as one line that a POSIX shell reads back, quoted where need be.
std::string shell_line(const std::vector<std::string>& words);

/// Word number `index` of the command line as a place to point at.
base::SourceLocation word_location(const std::vector<std::string>& words, std::size_t index);

}  // namespace podsim::app
