// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace podsim::base::host {

/// Writes a complete result to stdout. A reader that closes early (`podsim describe | head -1`) is not an error, and
/// what is left to do, such as files, is done (end_of_output).
/// InputError if the result cannot be written for another reason, such as a full disk.
/// The text is made printable (base/text/utf8.h), since names in it come from users' files.
void print_result(std::string_view text);
/// As above for a result that programs read, such as HLO: files and pipes get its bytes as they are.
void print_source(std::string_view text);

/// From here on a write to a pipe without a reader fails and does not end the program.
void survive_broken_pipes();
/// The exit code for main() to return, `code`. If the reader of stdout had closed, the process ends here by SIGPIPE, as
/// programs of Unix do.
int end_of_output(int code);

/// Writes "warning: " and the printable text as a line to stderr.
void print_warning(std::string_view text);

}  // namespace podsim::base::host
