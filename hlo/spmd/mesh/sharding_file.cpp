// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/sharding_file.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/config_layer.h"
#include "base/text/toml_string.h"

namespace podsim::hlo::spmd::mesh {
namespace {

constexpr auto value_forms = R"(such as ["x", "", "y+z"], "replicated" or "manual")";

class ShardingFileReader {
 public:
  ShardingFileReader(std::string_view file, std::string_view text, OtherParts others)
      : layer_(file, text), others_(others) {}

  ShardingFile run() {
    for (auto&& [name, node] : layer_.root()) {
      const toml::table* table = node.as_table();
      if (name != "mesh" && name != "sharding") {
        if (others_ == OtherParts::ignored) continue;
        static const std::array<std::string, 2> names{"mesh", "sharding"};
        report(fmt::format("'{}' is no part of a sharding file", name.str()), name.source(),
               hint_or(base::did_you_mean(name.str(), names), "its parts are [mesh] and [sharding]"));
      } else if (table == nullptr) {
        report(fmt::format("'{}' is a table of keys, not a value", name.str()), name.source(),
               fmt::format("[{}] on a line of its own", name.str()));
      } else if (name == "mesh") {
        read_mesh(*table);
      } else {
        for (auto&& [pattern, value] : *table) read_rule(pattern, value);
      }
    }
    if (!diagnostics_.empty()) {
      std::ranges::stable_sort(diagnostics_, {}, [](const base::Diagnostic& d) { return order(d.location); });
      throw base::InputError(std::move(diagnostics_));
    }
    std::ranges::sort(result_.rules, {}, [](const ShardingRule& rule) { return order(rule.pattern_location); });
    return std::move(result_);
  }

 private:
  /// Sort key for the order of the file, since a TOML table is sorted by name.
  static std::pair<int, int> order(const base::SourceLocation& place) { return {place.line, place.column}; }

  static std::string hint_or(std::string hint, std::string_view other) {
    return hint.empty() ? std::string(other) : std::move(hint);
  }

  void report(std::string message, const toml::source_region& where, std::string hint) {
    diagnostics_.push_back(
        {base::Diagnostic::Severity::error, std::move(message), layer_.locate(where), std::move(hint)});
  }

  void read_mesh(const toml::table& table) {
    for (auto&& [name, node] : table) {
      const std::optional<std::string> text = node.value_exact<std::string>();
      if (name != "axes") {
        report(fmt::format("'{}' is no key of [mesh]", name.str()), name.source(), "its only key is axes");
      } else if (!text) {
        report("the axes of a mesh are a string", node.source(), "such as \"x=32,y=64\" or \"32x64\"");
      } else {
        set_mesh(*text, layer_.locate(node.source()));
      }
    }
  }

  void set_mesh(const std::string& text, const base::SourceLocation& quoted) {
    try {
      result_.mesh = Mesh::parse(text);
    } catch (const base::InputError& error) {
      for (base::Diagnostic diagnostic : error.diagnostics()) {
        const int column = quoted.column + diagnostic.location.column;  // after the opening quote
        const int length = diagnostic.location.length;
        diagnostic.location = quoted;
        diagnostic.location.column = column;
        diagnostic.location.length = length;
        diagnostics_.push_back(std::move(diagnostic));
      }
    }
  }

  void read_rule(const toml::key& pattern, const toml::node& value) {
    ShardingRule rule;
    rule.pattern = pattern.str();
    rule.pattern_location = layer_.locate(pattern.source());
    rule.value_location = layer_.locate(value.source());
    const std::optional<std::string> word = value.value_exact<std::string>();
    if (const toml::array* list = value.as_array()) {
      for (const toml::node& element : *list) {
        const std::optional<std::string> axes = element.value_exact<std::string>();
        if (!axes) return report("a dimension's axes are a string", element.source(), value_forms);
        rule.dimensions.push_back(*axes);
        rule.dimension_locations.push_back(layer_.locate(element.source()));
      }
    } else if (word == "replicated" || word == "manual") {
      rule.kind = word == "manual" ? ShardingRule::Kind::manual : ShardingRule::Kind::replicated;
    } else {
      const bool nested = value.is_table();
      return report(nested ? fmt::format("'{}' is a table; a name with dots needs quotes", rule.pattern)
                           : "a sharding is a list of axes for each dimension",
                    nested ? pattern.source() : value.source(), value_forms);
    }
    result_.rules.push_back(std::move(rule));
  }

  base::ConfigLayer layer_;
  OtherParts others_;
  ShardingFile result_;
  std::vector<base::Diagnostic> diagnostics_;
};

}  // namespace

ShardingFile read_sharding_file(std::string_view file, std::string_view text, OtherParts others) {
  return ShardingFileReader(file, text, others).run();
}

std::string to_string(const ShardingFile& file) {
  std::string text;
  if (file.mesh) text += fmt::format("[mesh]\naxes = {}\n", base::text::toml_string(to_string(*file.mesh)));
  text += "[sharding]\n";
  for (const ShardingRule& rule : file.rules) {
    std::vector<std::string> dimensions;
    for (const std::string& dimension : rule.dimensions) dimensions.push_back(base::text::toml_string(dimension));
    std::string value = fmt::format("[{}]", fmt::join(dimensions, ", "));
    if (rule.kind == ShardingRule::Kind::replicated) value = "\"replicated\"";
    if (rule.kind == ShardingRule::Kind::manual) value = "\"manual\"";
    text += fmt::format("{} = {}\n", base::text::toml_string(rule.pattern), value);
  }
  return text;
}

}  // namespace podsim::hlo::spmd::mesh
