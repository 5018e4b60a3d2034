// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/unnamed_names.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <vector>

namespace podsim::structure {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The end of a literal that begins with a quote, or with the R of a raw string.
std::size_t literal_end(const std::string& source, std::size_t begin) {
  if (source[begin] == 'R') {
    const std::size_t open = source.find('(', begin);
    const std::string close = ")" + source.substr(begin + 2, open - begin - 2) + "\"";
    return source.find(close, open) + close.size();
  }
  std::size_t at = begin + 1;
  for (; source[at] != source[begin]; ++at) at += source[at] == '\\' ? 1 : 0;
  return at + 1;
}

/// A source without comments and preprocessor lines, each literal a pair of quotes.
std::string code_of(const std::string& source) {
  std::string code;
  for (std::size_t i = 0; i < source.size();) {
    const bool after_word = i > 0 && is_word(source[i - 1]);
    if (source.compare(i, 2, "//") == 0 || (source[i] == '#' && (i == 0 || source[i - 1] == '\n'))) {
      i = std::min(source.find('\n', i), source.size());
    } else if (source[i] == '"' || (source[i] == '\'' && !after_word) ||
               (source.compare(i, 2, "R\"") == 0 && !after_word)) {
      i = literal_end(source, i);
      code += "\"\"";
    } else {
      code += source[i++];
    }
  }
  return code;
}

using Tokens = std::vector<std::string>;

/// The words, `::` and single characters of a statement, without what stands in any brackets but the brackets.
Tokens outer_tokens(const std::string& statement) {
  static const std::regex token("\\w+|::|\\S");
  Tokens tokens;
  std::string closing;  // of the brackets that are open
  bool has_value = false;
  for (std::sregex_iterator found(statement.begin(), statement.end(), token), end; found != end; ++found) {
    const std::string text = found->str();
    const bool opens_arguments = text == "<" && !has_value && !tokens.empty() && is_word(tokens.back().back());
    if (!closing.empty() && text[0] == closing.back()) {
      closing.pop_back();
    } else if (text == "(" || text == "[" || text == "{" || opens_arguments) {
      if (closing.empty() && !opens_arguments) tokens.push_back(text);
      closing += text == "(" ? ')' : text == "[" ? ']' : text == "{" ? '}' : '>';
    } else if (closing.empty()) {
      has_value = text == "=" || (has_value && text != ",");
      tokens.push_back(text);
    }
  }
  return tokens;
}

/// The names that `int f(...)`, `const T a = ..., b{...}` and their like declare.
std::vector<std::string> declared_names(const Tokens& tokens) {
  static const std::regex macro("[A-Z][A-Z0-9_]*");
  std::vector<std::string> names;
  std::string last;
  bool found = false;
  const auto take = [&] {
    if (!found && !last.empty() && !std::regex_match(last, macro)) names.push_back(last);
    found = true;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    if (token == "operator" || token == "static_assert") return {};
    if (token == ",") {
      take();
      found = false;
      last.clear();
    } else if (token == "(" || token == "=" || token == "{" || (token == "[" && !last.empty())) {
      take();
    } else if (is_word(token[0])) {
      last = i > 0 && tokens[i - 1] == "::" ? "" : token;  // the member of a class is no name of the namespace
    }
  }
  take();
  return names;
}

void add_names(std::string statement, bool unnamed, std::map<std::string, std::string>& names) {
  static const std::regex alias("\\s*using\\s+(\\w+)\\s*=\\s*([^]*)"), import("\\s*using\\s+([\\w:]*::(\\w+))\\s*"),
      other("\\s*(?:using|extern|friend)\\b[^]*"),
      type("\\s*(?:struct|class|union|enum(?: class)?)\\s+(\\w+)\\s*(final\\b|[^\\w\\s:]|:[^:]|$)[^]*"),
      parameters("^\\s*template\\s*<(?:[^<>]|<[^<>]*>)*>");
  std::smatch found;
  if (std::regex_match(statement, found, alias)) {
    names.emplace(found[1], found[2]);
  } else if (std::regex_match(statement, found, import)) {
    names.emplace(found[2], found[1]);
  } else if (unnamed && !std::regex_match(statement, other)) {
    statement = std::regex_replace(statement, parameters, "");
    if (std::regex_match(statement, found, type)) {
      names.emplace(found[1], "");
    } else {
      for (const std::string& name : declared_names(outer_tokens(statement))) names.emplace(name, "");
    }
  }
}

}  // namespace

std::map<std::string, std::string> own_names(const std::string& source) {
  static const std::regex opening("\\s*(?:inline\\s+)?namespace\\s*([\\w:]*)\\s*");
  const std::string code = code_of(source);
  std::map<std::string, std::string> names;
  std::vector<std::string> spaces;
  std::string statement;
  int depth = 0;  // of braces that are no namespace's
  const auto end_statement = [&] {
    add_names(statement, std::ranges::find(spaces, "") != spaces.end(), names);
    statement.clear();
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    std::smatch found;
    if (code[i] == '{' && depth == 0 && std::regex_match(statement, found, opening)) {
      spaces.push_back(found[1]);
      statement.clear();
    } else if (code[i] == '}' && depth == 0) {
      if (!spaces.empty()) spaces.pop_back();
      statement.clear();
    } else if (code[i] == '{') {
      if (depth++ == 0) statement += '{';
    } else if (code[i] == '}') {
      if (--depth > 0) continue;
      statement += '}';
      const std::size_t next = code.find_first_not_of(" \n", i + 1);
      if (next == std::string::npos || (code[next] != ';' && code[next] != ',')) end_statement();
    } else if (code[i] == ';' && depth == 0) {
      end_statement();
    } else if (depth == 0) {
      statement += code[i];
    }
  }
  return names;
}

}  // namespace podsim::structure
