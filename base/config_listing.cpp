// SPDX-License-Identifier: Apache-2.0
#include "base/config_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/config_layer.h"
#include "base/text/csv_field.h"
#include "base/text/utf8.h"

namespace podsim::base {
namespace {

/// The rest of the line after the value.
std::string_view behind_value(const SourceLocation& value) {
  const std::vector<std::string_view> characters = text::utf8_characters(value.line_text);
  const std::size_t end = std::size_t(value.column - 1 + value.length);
  if (end >= characters.size()) return "";
  return std::string_view(value.line_text).substr(std::size_t(characters[end].data() - value.line_text.data()));
}

/// Parses a comment such as "  # published: CACM20".
void read_comment(ConfigEntry& entry) {
  std::string_view comment = behind_value(entry.origin);
  entry.evidence = Evidence::user;
  entry.source = "set by user";
  const std::size_t begin = comment.find_first_not_of(" \t#");
  if (begin == std::string_view::npos) return;
  comment.remove_prefix(begin);
  using enum Evidence;
  for (Evidence evidence : std::array{published, measured, derived, assumed}) {
    const std::string word = to_string(evidence);
    if (comment != word && !comment.starts_with(word + ": ")) continue;
    entry.evidence = evidence;
    entry.source = comment.substr(std::min(word.size() + 2, comment.size()));
    return;
  }
}

class ListingReader {
 public:
  explicit ListingReader(const ConfigLayer& layer) : layer_(layer) {}

  std::vector<ConfigEntry> read() {
    walk(layer_.root(), "");
    std::ranges::sort(entries_, {},
                      [](const ConfigEntry& entry) { return std::pair(entry.origin.line, entry.origin.column); });
    return std::move(entries_);
  }

 private:
  void walk(const toml::table& table, const std::string& scope) {
    for (auto&& [name, node] : table) {
      const std::string key = scope + std::string(name.str());
      if (const toml::table* inner = node.as_table()) {
        walk(*inner, key + ".");
      } else {
        entries_.push_back(value(key, node));
        read_comment(entries_.back());
      }
    }
  }

  ConfigEntry value(const std::string& key, const toml::node& node) const {
    const SourceLocation where = layer_.locate(node.source());
    try {
      return read_builtin_value(key, node, where);
    } catch (const InputError&) {
      const auto* text = node.as_string();  // a name, "3d-stack", that looks like a quantity
      if (text == nullptr) throw;
      return {.key = key, .value = text->get(), .text = text->get(), .source = "", .origin = where};
    }
  }

  const ConfigLayer& layer_;
  std::vector<ConfigEntry> entries_;
};

}  // namespace

std::vector<ConfigEntry> read_listing(std::string_view name, std::string_view toml_text) {
  return ListingReader(ConfigLayer(name, toml_text)).read();
}

std::string listing_csv(const Config& config) {
  std::string text = "key,value,evidence,set in,source\n";
  for (const ConfigEntry& entry : config.entries()) {
    text += fmt::format("{},{},{},{},{}\n", text::csv_field(entry.key), text::csv_field(entry.text),
                        to_string(entry.evidence), text::csv_field(origin_text(entry)), text::csv_field(entry.source));
  }
  return text;
}

std::string origin_text(const ConfigEntry& entry) {
  return entry.origin.line > 0 ? fmt::format("{}:{}", entry.origin.file, entry.origin.line) : entry.origin.file;
}

}  // namespace podsim::base
