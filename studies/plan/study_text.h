// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/config_layer.h"
#include "studies/plan/diagnostic_list.h"

namespace podsim::studies::plan {

/// A key of a table, with its parts joined by dots, and its value.
struct StudyEntry {
  std::string key;
  base::SourceLocation place;  ///< of the key
  const toml::node* node = nullptr;
};

/// The TOML of a study file, with its tables in the order in which they are written, and the errors found in it.
class StudyText {
 public:
  /// Throws base::InputError at a syntax error. Keeps a view of `text`.
  StudyText(const std::string& file, std::string_view text) : layer_(file, text) {}

  const toml::table& root() const { return layer_.root(); }
  DiagnosticList& errors() { return errors_; }

  base::SourceLocation place(const toml::node& node) const { return layer_.locate(node.source()); }
  base::SourceLocation place_of_key(const toml::key& key) const { return layer_.locate(key.source()); }
  /// Location between the quotes of a string.
  base::SourceLocation inside(const toml::node& node) const { return base::inside_quotes(place(node)); }

  /// Keys of `table` in the order of the file. Keys of an inner table are joined with a dot, unless it is a range of
  /// values, which is a value.
  std::vector<StudyEntry> entries(const toml::table& table) const;

  /// The table of this name in the root; nullptr if there is none. Anything else of this name is an error.
  const toml::table* table(std::string_view name);
  /// The tables of [[name]].
  std::vector<const toml::table*> tables(std::string_view name);
  /// Strings, either one alone or a list. Anything else of this name is an error; `what` is used in its message.
  std::vector<const toml::node*> strings(const toml::table& in, std::string_view name, std::string_view what);
  std::string string(const toml::table& in, std::string_view name);

 private:
  void collect(const toml::table& table, const std::string& scope, std::vector<StudyEntry>& entries) const;

  base::ConfigLayer layer_;
  DiagnosticList errors_;
};

/// True if a table is a range of values, { from = ..., to = ... }.
bool is_range(const toml::table& table);

}  // namespace podsim::studies::plan
