// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "base/dimensional.h"
#include "base/units.h"

/// Layered configuration in TOML. A built-in text declares every key with its value, unit and evidence. Later layers (a
/// user's file, then `--set key=value`) override values. A layer that names an unknown key, gives a number without a
/// unit where one is required, or a value of another dimension or type, is an InputError with file, line, column and
/// suggestion. One error carries a diagnostic for everything wrong in the layer, and leaves the configuration as it
/// was.
///
/// A built-in entry reads `link_rate = { value = "82 GB/s", evidence = "published", source = "CACM20" }`. An override
/// is just `link_rate = "164 GB/s"`, in tables as in the built-in text, with evidence "user" unless a comment follows
/// as to_toml() writes it. The long form also works in an override, so that a copy of a built-in text is a valid file.
/// In the built-in text, a string that starts with a digit is a quantity and must parse as one.
///
/// A table of the built-in text with the name "*", `[memory."*"]`, holds no values: it says which keys each table
/// [memory.NAME] has that a file declares, all of which the file states. Declared tables come behind the built-in ones,
/// in the order of the file.
namespace podsim::base {

enum class Evidence { published, measured, derived, assumed, user };
std::string to_string(Evidence evidence);

using ConfigValue =
    std::variant<bool, std::int64_t, double, std::string, Dimensional, std::vector<std::int64_t>, std::vector<bool>>;

struct ConfigEntry {
  std::string key;  ///< dotted: "ici.link_rate"
  ConfigValue value;
  std::string text;  ///< as written in the layer that set it, without quotes: `82 GB/s`, `[32, 32]`
  Evidence evidence = Evidence::assumed;
  std::string source;  ///< the publication, measurement or reasoning behind the value
  SourceLocation origin;
};

class Config {
 public:
  /// Makes a configuration of the built-in layer, which is also the schema of later layers. `name` is its name in
  /// messages.
  static Config builtin(std::string_view name, std::string_view toml_text);
  /// Adds keys to the built-in layer, after the others. A key that exists already is a bug (std::logic_error).
  void add_builtin(std::string_view name, std::string_view toml_text);
  /// Adds a file as a layer. InputError if it cannot be read or does not fit the schema.
  void add_file(const std::filesystem::path& path);
  void add_text(std::string_view file_name, std::string_view toml_text);
  /// Adds one `--set` argument, "ici.link_rate=164 GB/s" (quotes around the value optional).
  void set(std::string_view assignment);

  const std::string& name() const { return name_; }
  bool contains(std::string_view key) const;
  const ConfigEntry& entry(std::string_view key) const;  ///< std::out_of_range if there is no such key
  /// All entries in the order of the built-in text.
  const std::vector<ConfigEntry>& entries() const { return entries_; }
  /// The keys of tables that a file may declare, with examples of values: "memory.*.capacity".
  const std::vector<ConfigEntry>& patterns() const { return patterns_; }

  // Typed access. The type was checked against the built-in entry when the layer was added, so a mismatch here
  // (std::bad_variant_access) is a bug of the caller.
  bool boolean(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;  ///< a real or an integer without unit
  const std::string& string(std::string_view key) const;
  Duration duration(std::string_view key) const;
  Frequency frequency(std::string_view key) const;
  Bandwidth bandwidth(std::string_view key) const;
  Bytes bytes(std::string_view key) const;
  double joules(std::string_view key) const;
  double watts(std::string_view key) const;
  Cycles cycles(std::string_view key) const;  ///< "135 cycles", or an integer without unit
  std::vector<std::int64_t> integers(std::string_view key) const;
  std::vector<bool> booleans(std::string_view key) const;

  /// Throws an InputError at the location that set the current value of `key`; for values out of their range.
  [[noreturn]] void reject(std::string_view key, std::string message, std::string hint = "") const;
  /// Returns the resolved configuration as TOML, which add_text() reads back to the same values. The evidence and
  /// source of each value follow it as a comment.
  std::string to_toml() const;

 private:
  double si(std::string_view key, Dimensional::Kind kind) const;

  void append(ConfigEntry entry);
  std::string suggest_for_setting(const std::string& key) const;

  std::string name_;
  std::vector<ConfigEntry> entries_, patterns_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace podsim::base
