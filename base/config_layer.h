// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"

/// Reads one TOML text for a Config: parsing, locations, and single values.
namespace podsim::base {

class ConfigLayer {
 public:
  /// Parses the text. InputError at the location of a syntax error.
  ConfigLayer(std::string_view file, std::string_view toml_text);

  const toml::table& root() const { return root_; }
  SourceLocation locate(const toml::source_region& region) const;

 private:
  std::string file_;
  std::string_view text_;
  toml::table root_;
};

/// Location of the text between the quotes of a string value.
SourceLocation inside_quotes(SourceLocation where);

/// Name of a value's type for messages: "an integer", "a bandwidth".
std::string describe_type(const ConfigValue& value);
/// Renders a value as TOML.
std::string render_toml(const ConfigValue& value, const std::string& text);

/// Reads a value of a built-in text; its type becomes the schema. Throws InputError.
ConfigEntry read_builtin_value(std::string key, const toml::node& node, const SourceLocation& where);
/// Reads a value for the key of `schema`, which decides the type; evidence is "user". Throws InputError.
ConfigEntry read_override(const ConfigEntry& schema, const toml::node& node, const SourceLocation& where);
/// Sets `evidence` and `source` from the long form of an entry, `{ value = ..., evidence = ..., source = ... }`.
void read_provenance(ConfigEntry& entry, const toml::table& long_form, const ConfigLayer& layer);
/// Sets them from the comment that follows the value at `value` in its line, as Config::to_toml() writes it:
/// `# published: CACM20`. Leaves them as they are without such a comment.
void read_provenance_comment(ConfigEntry& entry, const SourceLocation& value);

}  // namespace podsim::base
