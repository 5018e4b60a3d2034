// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config_layer.h"
#include "base/diagnostic.h"

namespace podsim::workloads::nets {

/// What the tables of one text share.
struct NetText {
  NetText(std::string_view file, std::string_view text) : layer(file, text) {}

  void error(std::string message, const base::SourceLocation& place, std::string hint = "");
  base::SourceLocation place(const toml::node& node) const { return layer.locate(node.source()); }

  base::ConfigLayer layer;
  std::map<std::string, std::int64_t, std::less<>> model;  ///< values of [model]
  std::vector<base::Diagnostic> errors;
};

/// True for a word of letters, digits, '_' and '-'. Names are parts of the names of tensors.
bool is_name(std::string_view word);

/// Sizes that a page may state.
constexpr std::int64_t max_elements = 1 << 20;

/// A table of a page whose keys are read one by one. The keys that are asked for are those that it may have. Errors are
/// collected in the text, and the value is then the default.
class NetTable {
 public:
  /// `what` names it with its article: "a convolution". `place` is where a missing key is reported.
  NetTable(NetText& text, const toml::table& table, std::string what, base::SourceLocation place)
      : text_(text), table_(table), what_(std::move(what)), place_(std::move(place)) {}

  /// A whole number, or a string with a product or quotient of whole numbers and keys of [model], "4*width". Without a
  /// default it is required.
  std::int64_t whole(std::string_view key, std::optional<std::int64_t> fallback, std::int64_t least = 1,
                     std::int64_t most = max_elements);
  std::vector<std::int64_t> wholes(std::string_view key);
  double real(std::string_view key, double fallback, double least, double most);
  bool flag(std::string_view key, bool fallback);
  std::string word(std::string_view key, std::optional<std::string> fallback);
  /// A string or a list of strings.
  std::vector<std::string> words(std::string_view key);
  template <typename Value>
  Value choice(std::string_view key, const std::vector<std::pair<std::string, Value>>& choices,
               std::optional<Value> fallback) {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) names.push_back(name);
    const std::size_t at = chosen(key, names, fallback.has_value());
    if (at < choices.size()) return choices[at].second;
    return fallback.value_or(choices.front().second);
  }
  const toml::table* table(std::string_view key);
  /// Tables of [[key]]; empty if there are none.
  std::vector<const toml::table*> tables(std::string_view key);

  /// Where a key's value is, or the table.
  base::SourceLocation place(std::string_view key) const;
  /// Reports the keys that were not asked for.
  void finish() const;

 private:
  const toml::node* find(std::string_view key, bool required = false);
  std::optional<std::int64_t> whole_of(const toml::node& node);
  /// The index of the key's value; the number of names if there is none.
  std::size_t chosen(std::string_view key, const std::vector<std::string>& names, bool optional);

  NetText& text_;
  const toml::table& table_;
  std::string what_;
  base::SourceLocation place_;
  std::vector<std::string> asked_;
};

}  // namespace podsim::workloads::nets
