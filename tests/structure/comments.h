// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace podsim::structure {

struct Comment {
  int line;
  std::string text;  ///< of consecutive lines, joined by blanks, without the slashes
};
/// The comments of a source: blocks of lines that begin with // or ///, and comments after code.
std::vector<Comment> comments_of(const std::string& source);

/// The fault of a comment's English, "" when there is none: a sentence that opens with a word such as "Of" or "Whose",
/// or a word for people where hardware or code is meant.
std::string comment_fault(const std::string& comment);

}  // namespace podsim::structure
