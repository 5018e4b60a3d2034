// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/comments.h"

#include <regex>
#include <sstream>

namespace podsim::structure {
namespace {

/// The position at which a line's comment begins, or npos. Quotes are taken into account, raw strings are not.
std::size_t comment_begin(const std::string& line) {
  bool quoted = false;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && line.compare(i, 2, "//") == 0 && (i == 0 || line[i - 1] != ':')) {
      return i;
    }
  }
  return std::string::npos;
}

}  // namespace

std::vector<Comment> comments_of(const std::string& source) {
  std::vector<Comment> comments;
  std::istringstream in(source);
  bool goes_on = false;  // the line before was a comment alone
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::size_t begin = comment_begin(line);
    if (begin == std::string::npos) {
      goes_on = false;
      continue;
    }
    const bool alone = line.find_first_not_of(' ') == begin;
    std::string text = line.substr(
        line.find_first_not_of("/<", begin) == std::string::npos ? line.size() : line.find_first_not_of("/<", begin));
    if (alone && goes_on) {
      comments.back().text += text;
    } else {
      comments.push_back({number, text});
    }
    goes_on = alone;
  }
  return comments;
}

std::string comment_fault(const std::string& comment) {
  static const std::regex opening("(?:^\\s*|[.:;!?] +)(Of|Whose|What of|So many|So much) ");
  static const std::regex people("\\b(nobody|everybody|whom|somebody|the books)\\b", std::regex::icase);
  std::smatch found;
  if (std::regex_search(comment, found, opening)) return "a sentence opens with \"" + found[1].str() + "\"";
  if (std::regex_search(comment, found, people)) return "it says \"" + found[1].str() + "\"";
  return "";
}

}  // namespace podsim::structure
