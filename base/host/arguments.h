// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

/// Functions with which commands read their arguments. Errors are InputErrors that point at the argument:
///
///   --optimizer: error: 'adam' is not an optimizer
///      | adam
///      | ^~~~ one of: sgd_momentum, lars
namespace podsim::base::host {

/// Location of the value of a flag, or of a part of it.
SourceLocation argument_location(std::string_view flag, std::string_view text, std::size_t offset = 0,
                                 std::size_t length = std::string_view::npos);

/// Runs `body`. Diagnostics that it reports without a location get that of the flag's value.
void locate_errors(std::string_view flag, std::string_view text, const std::function<void()>& body);

/// Parses a whole number. InputError if `text` is not one from `least` to `most`.
std::int64_t parse_whole_number(std::string_view flag, const std::string& text, std::int64_t least, std::int64_t most);

/// Returns the index of `text` in `choices`; InputError with the nearest of them if there is no such choice. `what` is
/// the kind of value with its article, as in "an optimizer".
std::size_t parse_choice(std::string_view flag, const std::string& text, std::string_view what,
                         const std::vector<std::string>& choices);

/// Returns the path that a flag was given. InputError if it is empty.
std::string parse_path(std::string_view flag, const std::string& text);

/// Joins `words` into one line that a POSIX shell reads back, quoted where necessary.
std::string shell_line(const std::vector<std::string>& words);

/// Location of word number `index` of the command line.
SourceLocation word_location(const std::vector<std::string>& words, std::size_t index);

}  // namespace podsim::base::host
