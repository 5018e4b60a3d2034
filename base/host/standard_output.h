// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace podsim::base::host {

/// Writes a complete result to stdout. A reader that closes early (`podsim describe | head -1`) is not an error: the
/// command still does the rest of its work, such as files (end_of_output). InputError if the result cannot be written
/// for another reason, such as a full disk. The text is made printable (base/text/utf8.h), since names in it come from
/// users' files.
void print_result(std::string_view text);
/// As above for a result that programs read, such as HLO: files and pipes get its bytes as they are.
void print_source(std::string_view text);

/// Ignores SIGPIPE from here on: a write to a pipe without a reader fails and does not end the program.
void survive_broken_pipes();
/// Returns `code`, the exit code of main(). If the reader of stdout had closed, ends the process by SIGPIPE instead, as
/// Unix programs do.
int end_of_output(int code);

/// Writes "warning: " and the printable text as a line to stderr.
void print_warning(std::string_view text);

}  // namespace podsim::base::host
