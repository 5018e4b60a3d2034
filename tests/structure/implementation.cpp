// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/implementation.h"

#include <regex>
#include <vector>

namespace podsim::structure {
namespace {

/// Without comments, strings, preprocessor lines and template arguments.
std::string plain(const std::string& header) {
  static const std::regex noise("//[^\\n]*|\"(?:\\\\.|[^\"\\\\\\n])*\"|#[^\\n]*");
  std::string text = std::regex_replace(header, noise, "");
  static const std::regex arguments("(\\btemplate *|\\w)<[^<>;{}]*>");
  for (std::string next = std::regex_replace(text, arguments, "$1"); next != text;
       next = std::regex_replace(text, arguments, "$1")) {
    text = next;
  }
  return text;
}

/// True if a brace after this statement opens declarations, rather than code or values.
bool holds_declarations(const std::string& statement) {
  static const std::regex scope(
      "^\\s*(?:extern|(?:template\\s*)?(?:namespace|class|struct|union)\\b(?:[^(=]|\\([^)]*\\))*)$");
  return std::regex_match(statement, scope);
}

}  // namespace

std::string part_of(const std::string& source) {
  static const std::regex pattern("// SPDX[^\\n]*\\n// Part of (\\S+\\.h)\\.[^\\n]*\\n");
  std::smatch found;
  return std::regex_search(source, found, pattern, std::regex_constants::match_continuous) ? found[1].str() : "";
}

std::string declared_function(const std::string& header) {
  static const std::regex function(
      "^\\s*(?:(?:public|private|protected)\\s*:\\s*)?(?!using\\b|typedef\\b|static_assert\\b|friend\\b|return\\b|"
      "extern\\b|"
      "template\\b)[^=]*?(~?\\w+|operator\\s*\\S{1,3})\\s*\\([^;]*\\)[\\s\\w]*$");
  std::vector<bool> declares{true};  // by depth
  std::string statement;
  for (const char c : plain(header)) {
    if (c == '{') {
      declares.push_back(declares.back() && holds_declarations(statement));
      statement.clear();
    } else if (c == '}') {
      if (declares.size() > 1) declares.pop_back();
      statement.clear();
    } else if (c == ';') {
      std::smatch found;
      if (declares.back() && std::regex_match(statement, found, function)) return found[1].str();
      statement.clear();
    } else {
      statement += c;
    }
  }
  return "";
}

}  // namespace podsim::structure
