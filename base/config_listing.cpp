// SPDX-License-Identifier: Apache-2.0
#include "base/config_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/config_layer.h"
#include "base/text/csv_field.h"

namespace podsim::base {
namespace {

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
        entries_.back().evidence = Evidence::user;
        entries_.back().source = "set by user";
        read_provenance_comment(entries_.back(), layer_.locate(node.source()));
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
