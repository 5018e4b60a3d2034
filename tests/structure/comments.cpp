// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/comments.h"

#include <regex>
#include <sstream>

namespace podsim::structure {
namespace {

struct AvoidedWord {
  std::regex pattern;
  const char* instead;
};

/// Words of the glossary's table "Words to avoid", apart from those with a meaning of their own in comments.
const std::vector<AvoidedWord>& avoided_words() {
  static const auto word = [](const char* pattern) { return std::regex(pattern, std::regex::icase); };
  static const std::vector<AvoidedWord> all = {
      {word("\\b(cut|cuts|cutting)\\b"), "shard, split, tile, clip or truncate"},
      {word("\\b(places?)\\b"), "position, slot, location or placement"},
      {word("\\b(beside)\\b"), "concurrent with, next to or in addition to"},
  };
  return all;
}

/// The comment without what may contain any word: names in backquotes, calls, terms of the field.
std::string without_names(const std::string& comment) {
  static const std::regex names(
      "`[^`]*`|\\b\\w+\\(|\\bcut-through\\b|\\bin place\\b|\\btakes? place\\b|\\blast place\\b", std::regex::icase);
  return std::regex_replace(comment, names, "_");
}

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
  const std::string words = without_names(comment);
  for (const AvoidedWord& avoided : avoided_words()) {
    if (std::regex_search(words, found, avoided.pattern)) {
      return "it says \"" + found[1].str() + "\", not " + avoided.instead;
    }
  }
  return "";
}

std::string stripe_fault(const std::string& comment) {
  static const std::regex quoted("\"[^\"]*\"");
  static const std::regex colour("\\b(colours?)\\b", std::regex::icase);
  const std::string words = std::regex_replace(without_names(comment), quoted, "_");
  std::smatch found;
  if (std::regex_search(words, found, colour)) return "it says \"" + found[1].str() + "\", not stripe";
  return "";
}

}  // namespace podsim::structure
