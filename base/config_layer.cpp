// SPDX-License-Identifier: Apache-2.0
#include "base/config_layer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text/toml_string.h"
#include "base/text/utf8.h"
#include "base/toml_text.h"

namespace podsim::base {
namespace {

[[noreturn]] void reject(std::string message, const SourceLocation& where, std::string hint = "") {
  throw InputError(Diagnostic{Diagnostic::Severity::error, std::move(message), where, std::move(hint)});
}

std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 1; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string describe_node(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  if (node.is_string()) return "a string";
  if (node.is_integer()) return "an integer";
  if (node.is_floating_point()) return "a number";
  if (node.is_boolean()) return "true or false";
  return "a date or time";
}

template <class T>
std::optional<std::vector<T>> read_list(const toml::array& array) {
  std::vector<T> list;
  for (const toml::node& element : array) {
    std::optional<T> value = element.value_exact<T>();
    if (!value) return std::nullopt;
    list.push_back(*value);
  }
  return list;
}

/// Reads any value except a string, which depends on the schema; std::nullopt if no entry can hold it.
std::optional<ConfigValue> read_plain(const toml::node& node, const SourceLocation& where) {
  if (const auto* boolean = node.as_boolean()) return ConfigValue(boolean->get());
  if (const auto* integer = node.as_integer()) return ConfigValue(integer->get());
  if (const auto* real = node.as_floating_point()) {
    if (!std::isfinite(real->get())) reject("a value must be finite", where);
    return ConfigValue(real->get());
  }
  if (const auto* array = node.as_array()) {
    if (auto list = read_list<std::int64_t>(*array)) return ConfigValue(*list);
    if (auto list = read_list<bool>(*array)) return ConfigValue(*list);
  }
  return std::nullopt;
}

/// Converts `value` to the type of `schema` if that is lossless.
std::optional<ConfigValue> fit(const ConfigValue& schema, const ConfigValue& value) {
  if (schema.index() == value.index()) return value;
  if (std::holds_alternative<double>(schema) && std::holds_alternative<std::int64_t>(value)) {
    return ConfigValue(double(std::get<std::int64_t>(value)));
  }
  const auto* integers = std::get_if<std::vector<std::int64_t>>(&value);
  if (std::holds_alternative<std::vector<bool>>(schema) && integers != nullptr && integers->empty()) {
    return ConfigValue(std::vector<bool>());
  }
  return std::nullopt;
}

bool is_number(std::string_view text) {
  return looks_dimensional(text) && text.find_first_not_of("+-.0123456789eE_ ") == std::string_view::npos;
}

Dimensional read_dimensional(const ConfigEntry& schema, const toml::node& node, const SourceLocation& where) {
  Dimensional::Kind due = std::get<Dimensional>(schema.value).kind;
  const auto* text = node.as_string();
  if (node.is_number() || (text != nullptr && is_number(text->get()))) {
    reject(fmt::format("'{}' is {} and needs a unit", schema.key, to_string(due)), where,
           fmt::format("as in \"{}\"", schema.text));
  }
  if (text == nullptr) {
    reject(fmt::format("'{}' is {}, not {}", schema.key, to_string(due), describe_node(node)), where,
           fmt::format("as in \"{}\"", schema.text));
  }
  Dimensional value = parse_dimensional(text->get(), inside_quotes(where));
  if (value.kind != due) {
    reject(fmt::format("'{}' is {}, but '{}' is {}", schema.key, to_string(due), text->get(), to_string(value.kind)),
           where, fmt::format("as in \"{}\"", schema.text));
  }
  return value;
}

std::string render_real(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// Text of a value. Quantities and strings keep the written text.
std::string written_text(const ConfigValue& value, const toml::node& node) {
  const auto* text = node.as_string();
  return text != nullptr ? text->get() : render_toml(value, "");
}

constexpr std::array evidences{Evidence::published, Evidence::measured, Evidence::derived, Evidence::assumed,
                               Evidence::user};

Evidence read_evidence(const toml::node& node, const SourceLocation& where) {
  std::vector<std::string> names;
  for (Evidence evidence : evidences) {
    names.push_back(to_string(evidence));
    if (node.value<std::string>() == names.back()) return evidence;
  }
  std::string written = node.value<std::string>().value_or("");
  std::string hint = did_you_mean(written, names);
  reject(fmt::format("'{}' is not a kind of evidence", written), where,
         hint.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : hint);
}

/// The rest of the line after the value.
std::string_view behind_value(const SourceLocation& value) {
  const std::vector<std::string_view> characters = text::utf8_characters(value.line_text);
  const std::size_t end = std::size_t(value.column - 1 + value.length);
  if (end >= characters.size()) return "";
  return std::string_view(value.line_text).substr(std::size_t(characters[end].data() - value.line_text.data()));
}

}  // namespace

std::string to_string(Evidence evidence) {
  switch (evidence) {
    case Evidence::published:
      return "published";
    case Evidence::measured:
      return "measured";
    case Evidence::derived:
      return "derived";
    case Evidence::assumed:
      return "assumed";
    case Evidence::user:
      return "user";
  }
  return "";
}

ConfigLayer::ConfigLayer(std::string_view file, std::string_view toml_text) : file_(file), text_(toml_text) {
  try {
    root_ = parse_toml(toml_text, file);
  } catch (const toml::parse_error& error) {
    reject(std::string(error.description()), locate(error.source()));
  }
}

SourceLocation ConfigLayer::locate(const toml::source_region& region) const {
  SourceLocation location;
  location.file = file_;
  location.line = int(region.begin.line);
  location.column = int(region.begin.column);
  if (region.begin.line == 0) return location;
  location.line_text = line_of(text_, region.begin.line);
  bool one_line = region.end.line == region.begin.line;
  int end = one_line ? int(region.end.column) : int(location.line_text.size()) + 1;
  location.length = std::max(end - location.column, 1);
  return location;
}

SourceLocation inside_quotes(SourceLocation where) {
  std::size_t first = std::size_t(where.column - 1);
  bool quoted = first < where.line_text.size() && (where.line_text[first] == '"' || where.line_text[first] == '\'');
  if (quoted && where.length >= 2) {
    where.column += 1;
    where.length -= 2;
  }
  return where;
}

std::string describe_type(const ConfigValue& value) {
  struct Describe {
    std::string operator()(bool) const { return "true or false"; }
    std::string operator()(std::int64_t) const { return "an integer"; }
    std::string operator()(double) const { return "a number"; }
    std::string operator()(const std::string&) const { return "a string"; }
    std::string operator()(const Dimensional& value) const { return to_string(value.kind); }
    std::string operator()(const std::vector<std::int64_t>&) const { return "a list of integers"; }
    std::string operator()(const std::vector<bool>&) const { return "a list of true and false"; }
  };
  return std::visit(Describe(), value);
}

std::string render_toml(const ConfigValue& value, const std::string& text) {
  struct Render {
    const std::string& text;
    std::string operator()(bool boolean) const { return boolean ? "true" : "false"; }
    std::string operator()(std::int64_t integer) const { return fmt::format("{}", integer); }
    std::string operator()(double real) const { return render_real(real); }
    std::string operator()(const std::string& string) const { return text::toml_string(string); }
    std::string operator()(const Dimensional&) const { return text::toml_string(text); }
    std::string operator()(const std::vector<std::int64_t>& list) const {
      return fmt::format("[{}]", fmt::join(list, ", "));
    }
    std::string operator()(const std::vector<bool>& list) const {
      std::vector<std::string> words;
      for (bool element : list) words.emplace_back(element ? "true" : "false");
      return fmt::format("[{}]", fmt::join(words, ", "));
    }
  };
  return std::visit(Render{text}, value);
}

ConfigEntry read_builtin_value(std::string key, const toml::node& node, const SourceLocation& where) {
  ConfigEntry entry{std::move(key), {}, {}, Evidence::assumed, {}, where};
  if (const auto* text = node.as_string()) {
    if (looks_dimensional(text->get())) {
      entry.value = parse_dimensional(text->get(), inside_quotes(where));
    } else {
      entry.value = text->get();
    }
  } else if (auto value = read_plain(node, where)) {
    entry.value = *value;
  } else {
    reject(fmt::format("'{}' cannot be {}", entry.key, describe_node(node)), where);
  }
  entry.text = written_text(entry.value, node);
  return entry;
}

ConfigEntry read_override(const ConfigEntry& schema, const toml::node& node, const SourceLocation& where) {
  ConfigEntry entry{schema.key, {}, {}, Evidence::user, "set by user", where};
  if (std::holds_alternative<Dimensional>(schema.value)) {
    entry.value = read_dimensional(schema, node, where);
  } else if (std::holds_alternative<std::string>(schema.value) && node.is_string()) {
    entry.value = node.as_string()->get();
  } else {
    std::optional<ConfigValue> value = read_plain(node, where);
    if (value) value = fit(schema.value, *value);
    if (!value) {
      reject(fmt::format("'{}' is {}, not {}", schema.key, describe_type(schema.value), describe_node(node)), where,
             fmt::format("as in {}", render_toml(schema.value, schema.text)));
    }
    entry.value = *value;
  }
  entry.text = written_text(entry.value, node);
  return entry;
}

void read_provenance(ConfigEntry& entry, const toml::table& long_form, const ConfigLayer& layer) {
  static const std::vector<std::string> names = {"value", "evidence", "source"};
  if (long_form.contains("evidence")) entry.source.clear();
  for (auto&& [key, node] : long_form) {
    if (key == "evidence") {
      entry.evidence = read_evidence(node, layer.locate(node.source()));
    } else if (key == "source") {
      if (!node.is_string())
        reject(fmt::format("the source of '{}' is a string", entry.key), layer.locate(node.source()));
      entry.source = node.as_string()->get();
    } else if (key != "value") {
      reject(fmt::format("'{}' is not a part of an entry", key.str()), layer.locate(key.source()),
             did_you_mean(key.str(), names));
    }
  }
}

void read_provenance_comment(ConfigEntry& entry, const SourceLocation& value) {
  std::string_view comment = behind_value(value);
  const std::size_t begin = comment.find_first_not_of(" \t#");
  if (begin == std::string_view::npos) return;
  comment.remove_prefix(begin);
  using enum Evidence;
  for (const Evidence evidence : std::array{published, measured, derived, assumed}) {
    const std::string word = to_string(evidence);
    if (comment != word && !comment.starts_with(word + ": ")) continue;
    entry.evidence = evidence;
    entry.source = comment.substr(std::min(word.size() + 2, comment.size()));
    return;
  }
}

}  // namespace podsim::base
