// SPDX-License-Identifier: Apache-2.0
#include "base/toml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/diagnostic.h"

namespace podsim::base {
namespace {

/// As toml++ nests values.
constexpr int max_key_parts = 256;

/// The end of the string that begins at `begin`, which may be a quote of any of TOML's four kinds.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string three(3, quote);
  const bool lines = text.substr(begin).starts_with(three);
  const std::string_view closing = lines ? std::string_view(three) : std::string_view(three).substr(0, 1);
  for (std::size_t at = begin + closing.size(); at < text.size(); ++at) {
    if (text.substr(at).starts_with(closing)) return at + closing.size();
    if (!lines && text[at] == '\n') return at;
    if (quote == '"' && text[at] == '\\') ++at;
  }
  return text.size();
}

/// The beginning of a key of too many parts.
std::optional<std::size_t> deep_key(std::string_view text) {
  std::size_t begin = 0;
  int parts = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_string(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    ++at;
    if (c == '.' && ++parts > max_key_parts) return begin;
    if (c == '\n' || c == '=' || c == ',' || c == '{' || c == '}' || c == '[' || c == ']') {
      begin = at;
      parts = 1;
    }
  }
  return std::nullopt;
}

}  // namespace

toml::table parse_toml(std::string_view text, std::string_view file) {
  if (const std::optional<std::size_t> key = deep_key(text)) {
    throw InputError({.message = fmt::format("a key of more than {} parts", max_key_parts),
                      .location = locate(std::string(file), text, *key),
                      .hint = ""});
  }
  return toml::parse(text, file);
}

}  // namespace podsim::base
