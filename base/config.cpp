// SPDX-License-Identifier: Apache-2.0
#include "base/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/config_layer.h"
#include "base/toml_text.h"

namespace podsim::base {
namespace {

constexpr std::string_view blanks = " \t";

std::string join(const std::string& scope, std::string_view key) {
  return scope.empty() ? std::string(key) : fmt::format("{}.{}", scope, key);
}

/// "ici" and "link_rate" of "ici.link_rate".
std::pair<std::string, std::string> split(const std::string& key) {
  std::size_t dot = key.rfind('.');
  if (dot == std::string::npos) return {"", key};
  return {key.substr(0, dot), key.substr(dot + 1)};
}

bool is_scope(const std::vector<ConfigEntry>& entries, const std::string& key) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const ConfigEntry& entry) { return entry.key.starts_with(key + "."); });
}

/// Names one level below `scope`, of values and of tables.
std::vector<std::string> children(const std::vector<ConfigEntry>& entries, const std::string& scope) {
  std::vector<std::string> names;
  for (const ConfigEntry& entry : entries) {
    std::string_view rest = entry.key;
    if (!scope.empty()) {
      if (!rest.starts_with(scope + ".")) continue;
      rest.remove_prefix(scope.size() + 1);
    }
    std::string name(rest.substr(0, rest.find('.')));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// Suggests a neighbour with a similar name, else a similar key anywhere, else the same name in another table.
std::string suggest_key(const std::vector<ConfigEntry>& entries, const std::string& key, bool whole_key) {
  auto [scope, name] = split(key);
  std::string neighbour = closest(name, children(entries, scope));
  if (!neighbour.empty()) return fmt::format("did you mean '{}'?", whole_key ? join(scope, neighbour) : neighbour);
  std::vector<std::string> keys;
  for (const ConfigEntry& entry : entries) keys.push_back(entry.key);
  std::string hint = did_you_mean(key, keys);
  if (!hint.empty()) return hint;
  for (const std::string& candidate : keys) {
    if (split(candidate).second == name) return fmt::format("did you mean '{}'?", candidate);
  }
  return "";
}

/// Reads the built-in text: every table with a `value`, and every plain value, is an entry.
class BuiltinReader {
 public:
  explicit BuiltinReader(const ConfigLayer& layer) : layer_(layer) {}

  std::vector<ConfigEntry> read() {
    walk(layer_.root(), "");
    std::sort(entries_.begin(), entries_.end(), [](const ConfigEntry& a, const ConfigEntry& b) {
      return std::pair(a.origin.line, a.origin.column) < std::pair(b.origin.line, b.origin.column);
    });
    return std::move(entries_);
  }

 private:
  void walk(const toml::table& table, const std::string& scope) {
    for (auto&& [name, node] : table) {
      std::string key = join(scope, name.str());
      const toml::table* inner = node.as_table();
      if (inner != nullptr && !inner->contains("value")) {
        walk(*inner, key);
        continue;
      }
      const toml::node& value = inner != nullptr ? *inner->get("value") : node;
      entries_.push_back(read_builtin_value(key, value, layer_.locate(value.source())));
      if (inner != nullptr) read_provenance(entries_.back(), *inner, layer_);
    }
  }

  const ConfigLayer& layer_;
  std::vector<ConfigEntry> entries_;
};

/// Reads an override text against the schema. Continues after an error, to report all of them.
class OverrideReader {
 public:
  OverrideReader(const ConfigLayer& layer, const Config& schema) : layer_(layer), schema_(schema) {}

  /// The values of keys that the schema has or a table declares.
  std::vector<ConfigEntry> read() {
    walk(layer_.root(), "");
    if (!diagnostics_.empty()) {
      std::stable_sort(diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::pair(a.location.line, a.location.column) < std::pair(b.location.line, b.location.column);
      });
      throw InputError(std::move(diagnostics_));
    }
    std::ranges::stable_sort(declared_, {}, &Declared::line);
    for (Declared& table : declared_) std::ranges::move(table.entries, std::back_inserter(entries_));
    return std::move(entries_);
  }

 private:
  /// A table of the text that the schema has a pattern for.
  struct Declared {
    std::uint32_t line = 0;
    std::vector<ConfigEntry> entries;
  };

  void walk(const toml::table& table, const std::string& scope) {
    for (auto&& [name, node] : table) {
      std::string key = join(scope, name.str());
      if (schema_.contains(key)) {
        read_entry(schema_.entry(key), node, entries_);
      } else if (name.str() == "*" && is_scope(schema_.patterns(), key)) {
        continue;  // the pattern itself, in a copy of the text that has it: it declares nothing
      } else if (is_scope(schema_.patterns(), join(scope, "*")) && !is_scope(schema_.entries(), key)) {
        declare(scope, name, node);
      } else if (!is_scope(schema_.entries(), key) && !is_scope(schema_.patterns(), key)) {
        report(fmt::format("'{}' is not a key of {}", key, schema_.name()), name.source(),
               suggest_key(schema_.entries(), key, false));
      } else if (const toml::table* inner = node.as_table()) {
        walk(*inner, key);
      } else {
        report(fmt::format("'{}' is a table of keys, not a value", key), name.source(), "");
      }
    }
  }

  /// Reads a table that the schema has only a pattern for.
  void declare(const std::string& scope, const toml::key& name, const toml::node& node) {
    const std::string table = join(scope, name.str());
    const toml::table* given = node.as_table();
    if (given == nullptr) return report(fmt::format("'{}' is a table of keys, not a value", table), name.source(), "");
    if (!is_plain_name(name.str())) {
      return report(fmt::format("'{}' is not a name", name.str()), name.source(),
                    "a small letter, then small letters, digits and _");
    }
    Declared declared{name.source().begin.line, {}};
    std::vector<std::string> names;
    for (const ConfigEntry& pattern : schema_.patterns()) {
      const auto [pattern_scope, key] = split(pattern.key);
      if (pattern_scope != join(scope, "*")) continue;
      names.push_back(key);
      ConfigEntry schema = pattern;
      schema.key = join(table, key);
      if (const toml::node* value = given->get(key)) {
        read_entry(schema, *value, declared.entries);
      } else {
        report(fmt::format("'{}' needs '{}'", table, key), name.source(),
               fmt::format("as in {} = {}", key, render_toml(pattern.value, pattern.text)));
      }
    }
    for (auto&& [key, value] : *given) {
      if (std::ranges::find(names, key.str()) != names.end()) continue;
      report(fmt::format("'{}' is not a key of {}", join(table, key.str()), schema_.name()), key.source(),
             did_you_mean(key.str(), names));
    }
    declared_.push_back(std::move(declared));
  }

  static bool is_plain_name(std::string_view name) {
    return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
  }

  void read_entry(const ConfigEntry& schema, const toml::node& node, std::vector<ConfigEntry>& entries) {
    const toml::table* long_form = node.as_table();
    const toml::node* value = long_form != nullptr ? long_form->get("value") : &node;
    if (value == nullptr) value = &node;  // reported as a table where a value is expected
    try {
      ConfigEntry entry = read_override(schema, *value, layer_.locate(value->source()));
      if (long_form != nullptr) {
        read_provenance(entry, *long_form, layer_);
      } else {
        read_provenance_comment(entry, layer_.locate(value->source()));
      }
      entries.push_back(std::move(entry));
    } catch (const InputError& error) {
      diagnostics_.insert(diagnostics_.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }

  void report(std::string message, const toml::source_region& where, std::string hint) {
    diagnostics_.push_back({Diagnostic::Severity::error, std::move(message), layer_.locate(where), std::move(hint)});
  }

  const ConfigLayer& layer_;
  const Config& schema_;
  std::vector<ConfigEntry> entries_;
  std::vector<Declared> declared_;
  std::vector<Diagnostic> diagnostics_;
};

/// The two sides of "key=value" and their locations.
struct Assignment {
  std::string key, value;
  SourceLocation key_location, value_location;
};

SourceLocation locate_part(std::string_view text, std::size_t begin, std::size_t end) {
  SourceLocation location = locate("--set", text, begin, std::max(int(end - begin), 1));
  location.line = 0;
  return location;
}

Assignment split_assignment(std::string_view text) {
  std::size_t equals = text.find('=');
  std::size_t begin = text.find_first_not_of(blanks);
  if (equals == std::string_view::npos || begin == equals) {
    throw InputError(Diagnostic{Diagnostic::Severity::error, "expected key=value", locate_part(text, 0, text.size()),
                                "as in ici.link_rate=\"164 GB/s\""});
  }
  std::size_t end = text.find_last_not_of(blanks, equals - 1) + 1;
  std::size_t value_begin = std::min(text.find_first_not_of(blanks, equals + 1), text.size());
  std::size_t value_end = std::max(text.find_last_not_of(blanks) + 1, value_begin);
  return {std::string(text.substr(begin, end - begin)), std::string(text.substr(value_begin, value_end - value_begin)),
          locate_part(text, begin, end), locate_part(text, value_begin, value_end)};
}

/// Parses the value as in a TOML text. Quotes are optional if the key takes a string or a quantity.
toml::table parse_assigned_value(const ConfigEntry& schema, const Assignment& assignment) {
  const std::string& text = assignment.value;
  bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  bool textual = std::holds_alternative<std::string>(schema.value) || std::holds_alternative<Dimensional>(schema.value);
  if (textual && !quoted) return toml::table{{"value", text}};
  try {
    return parse_toml("value = " + text, "");
  } catch (const std::runtime_error&) {  // toml::parse_error, InputError
    throw InputError(Diagnostic{Diagnostic::Severity::error,
                                fmt::format("'{}' is {}, not '{}'", schema.key, describe_type(schema.value), text),
                                assignment.value_location, fmt::format("as in {}", schema.text)});
  }
}

std::string read_whole_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(fmt::format("cannot read '{}': it is a directory", path.string()));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) {
    std::string reason = errno != 0 ? std::generic_category().message(errno) : "it could not be opened";
    throw InputError(fmt::format("cannot read '{}': {}", path.string(), reason));
  }
  return text;
}

std::string provenance_comment(const ConfigEntry& entry) {
  std::string comment = fmt::format("  # {}", to_string(entry.evidence));
  if (!entry.source.empty() && entry.evidence != Evidence::user) comment += ": " + entry.source;
  for (char& c : comment) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return comment;
}

}  // namespace

Config Config::builtin(std::string_view name, std::string_view toml_text) {
  Config config;
  config.name_ = name;
  config.add_builtin(name, toml_text);
  return config;
}

void Config::add_builtin(std::string_view name, std::string_view toml_text) {
  for (ConfigEntry& entry : BuiltinReader(ConfigLayer(name, toml_text)).read()) {
    if (contains(entry.key)) throw std::logic_error(fmt::format("'{}' is built in twice", entry.key));
    const bool is_pattern = entry.key.find(".*.") != std::string::npos;
    is_pattern ? patterns_.push_back(std::move(entry)) : append(std::move(entry));
  }
}

void Config::append(ConfigEntry entry) {
  index_.emplace(entry.key, entries_.size());
  entries_.push_back(std::move(entry));
}

void Config::add_file(const std::filesystem::path& path) { add_text(path.string(), read_whole_file(path)); }

void Config::add_text(std::string_view file_name, std::string_view toml_text) {
  ConfigLayer layer(file_name, toml_text);
  for (ConfigEntry& entry : OverrideReader(layer, *this).read()) {
    const auto known = index_.find(entry.key);
    known != index_.end() ? void(entries_[known->second] = std::move(entry)) : append(std::move(entry));
  }
}

void Config::set(std::string_view assignment) {
  Assignment parts = split_assignment(assignment);
  if (!contains(parts.key)) {
    bool scope = is_scope(entries_, parts.key);
    throw InputError(Diagnostic{Diagnostic::Severity::error,
                                scope ? fmt::format("'{}' is a table of keys, not a value", parts.key)
                                      : fmt::format("'{}' is not a key of {}", parts.key, name_),
                                parts.key_location, scope ? "" : suggest_for_setting(parts.key)});
  }
  ConfigEntry& current = entries_[index_.find(parts.key)->second];
  toml::table value = parse_assigned_value(current, parts);
  current = read_override(current, *value.get("value"), parts.value_location);
}

/// As suggest_key(), and how a file declares the table of a key that has a pattern.
std::string Config::suggest_for_setting(const std::string& key) const {
  const auto [table, name] = split(key);
  const std::string scope = split(table).first, pattern = scope + ".*." + name;
  if (std::ranges::find(patterns_, pattern, &ConfigEntry::key) == patterns_.end())
    return suggest_key(entries_, key, true);
  return fmt::format("a table [{}.NAME] of a file declares it", scope);
}

bool Config::contains(std::string_view key) const { return index_.contains(key); }

const ConfigEntry& Config::entry(std::string_view key) const {
  auto found = index_.find(key);
  if (found == index_.end()) throw std::out_of_range(fmt::format("no key '{}' in {}", key, name_));
  return entries_[found->second];
}

bool Config::boolean(std::string_view key) const { return std::get<bool>(entry(key).value); }
std::int64_t Config::integer(std::string_view key) const { return std::get<std::int64_t>(entry(key).value); }
const std::string& Config::string(std::string_view key) const { return std::get<std::string>(entry(key).value); }

double Config::number(std::string_view key) const {
  const ConfigValue& value = entry(key).value;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return double(*whole);
  return std::get<double>(value);
}

double Config::si(std::string_view key, Dimensional::Kind kind) const {
  const auto& value = std::get<Dimensional>(entry(key).value);
  if (value.kind != kind) throw std::bad_variant_access();
  return value.si;
}

Duration Config::duration(std::string_view key) const { return Duration(si(key, Dimensional::Kind::duration)); }
Frequency Config::frequency(std::string_view key) const { return Frequency(si(key, Dimensional::Kind::frequency)); }
double Config::joules(std::string_view key) const { return si(key, Dimensional::Kind::energy); }
double Config::watts(std::string_view key) const { return si(key, Dimensional::Kind::power); }
Bandwidth Config::bandwidth(std::string_view key) const { return Bandwidth(si(key, Dimensional::Kind::bandwidth)); }
Bytes Config::bytes(std::string_view key) const { return Bytes(std::int64_t(si(key, Dimensional::Kind::bytes))); }

Cycles Config::cycles(std::string_view key) const {
  if (std::holds_alternative<std::int64_t>(entry(key).value)) return Cycles(integer(key));
  return Cycles(std::int64_t(si(key, Dimensional::Kind::cycles)));
}

std::vector<std::int64_t> Config::integers(std::string_view key) const {
  return std::get<std::vector<std::int64_t>>(entry(key).value);
}
std::vector<bool> Config::booleans(std::string_view key) const { return std::get<std::vector<bool>>(entry(key).value); }

void Config::reject(std::string_view key, std::string message, std::string hint) const {
  throw InputError(Diagnostic{Diagnostic::Severity::error, std::move(message), entry(key).origin, std::move(hint)});
}

std::string Config::to_toml() const {
  // Values outside tables come first, as TOML requires; tables come in the order of their first value.
  std::vector<std::string> scopes = {""};
  for (const ConfigEntry& entry : entries_) {
    std::string scope = split(entry.key).first;
    if (std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) scopes.push_back(scope);
  }
  std::string text;
  for (const std::string& scope : scopes) {
    if (!scope.empty()) text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", scope);
    for (const ConfigEntry& entry : entries_) {
      auto [entry_scope, name] = split(entry.key);
      if (entry_scope != scope) continue;
      text += fmt::format("{} = {}{}\n", name, render_toml(entry.value, entry.text), provenance_comment(entry));
    }
  }
  return text;
}

}  // namespace podsim::base
