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
/// a word for people where hardware or code is meant, or a word that docs/glossary.md avoids, with the words to write
/// instead. Names in backquotes, calls such as place(), and "in place", "take place", "cut-through" and "last place"
/// (of a rounding error) are no faults.
std::string comment_fault(const std::string& comment);

/// The fault of a comment about collectives, "" when there is none: "colour" for a stripe. In other comments a colour
/// is that of a chart or an image. Text in double quotes is skipped, since labels print "colour".
std::string stripe_fault(const std::string& comment);

}  // namespace podsim::structure
