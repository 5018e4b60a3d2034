// SPDX-License-Identifier: Apache-2.0
#include "workloads/nets/net_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace podsim::workloads::nets {

namespace {

std::optional<std::int64_t> number_of(std::string_view word) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::string_view trimmed(std::string_view word) {
  while (word.starts_with(' ')) word.remove_prefix(1);
  while (word.ends_with(' ')) word.remove_suffix(1);
  return word;
}

}  // namespace

bool is_name(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

void NetText::error(std::string message, const base::SourceLocation& at, std::string hint) {
  errors.push_back({base::Diagnostic::Severity::error, std::move(message), at, std::move(hint)});
}

const toml::node* NetTable::find(std::string_view key, bool required) {
  asked_.emplace_back(key);
  const toml::node* node = table_.get(key);
  if (node == nullptr && required) text_.error(fmt::format("{} needs '{}'", what_, key), place_);
  return node;
}

base::SourceLocation NetTable::place(std::string_view key) const {
  const toml::node* node = table_.get(key);
  return node == nullptr ? place_ : text_.place(*node);
}

std::optional<std::int64_t> NetTable::whole_of(const toml::node& node) {
  if (const auto* number = node.as_integer()) return number->get();
  const auto* text = node.as_string();
  if (text == nullptr) {
    text_.error("a whole number is needed here", text_.place(node),
                "or a product such as \"4*width\" of keys of [model]");
    return std::nullopt;
  }
  const std::string_view all = text->get();
  std::int64_t value = 1;
  char sign = '*';
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find_first_of("*/", begin), all.size());
    const std::string_view word = trimmed(all.substr(begin, end - begin));
    std::optional<std::int64_t> factor = number_of(word);
    if (const auto found = text_.model.find(word); !factor && found != text_.model.end()) factor = found->second;
    if (!factor) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : text_.model) names.push_back(name);
      const std::string nearest = base::did_you_mean(word, names);
      text_.error(fmt::format("'{}' is neither a whole number nor a key of [model]", word), text_.place(node),
                  nearest.empty() && !names.empty() ? fmt::format("its keys: {}", fmt::join(names, ", ")) : nearest);
      return std::nullopt;
    }
    const bool fits =
        sign == '/' ? *factor != 0 && value % *factor == 0 : !__builtin_mul_overflow(value, *factor, &value);
    if (!fits) {
      text_.error(fmt::format("'{}' is not a whole number", all), text_.place(node));
      return std::nullopt;
    }
    if (sign == '/') value /= *factor;
    if (end < all.size()) sign = all[end];
    begin = end + 1;
  }
  return value;
}

std::int64_t NetTable::whole(std::string_view key, std::optional<std::int64_t> fallback, std::int64_t least,
                             std::int64_t most) {
  const toml::node* node = find(key, !fallback);
  const std::int64_t otherwise = fallback.value_or(least);
  if (node == nullptr) return otherwise;
  const std::optional<std::int64_t> value = whole_of(*node);
  if (!value) return otherwise;
  if (*value >= least && *value <= most) return *value;
  text_.error(fmt::format("'{}' is {}, not from {} to {}", key, *value, least, most), text_.place(*node));
  return otherwise;
}

std::vector<std::int64_t> NetTable::wholes(std::string_view key) {
  const toml::node* node = find(key);
  std::vector<std::int64_t> values;
  if (node == nullptr) return values;
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    text_.error(fmt::format("'{}' is a list of whole numbers", key), text_.place(*node), "such as [224, 224, 3]");
    return values;
  }
  for (const toml::node& element : *list) {
    const std::int64_t value = whole_of(element).value_or(1);
    if (value < 1 || value > max_elements) {
      text_.error(fmt::format("a size of {} is not from 1 to {}", value, max_elements), text_.place(element));
      continue;
    }
    values.push_back(value);
  }
  return values;
}

double NetTable::real(std::string_view key, double fallback, double least, double most) {
  const toml::node* node = find(key);
  if (node == nullptr) return fallback;
  const std::optional<double> value = node->value<double>();
  if (value && node->is_number() && *value >= least && *value <= most) return *value;
  text_.error(fmt::format("'{}' is a number from {:g} to {:g}", key, least, most), text_.place(*node));
  return fallback;
}

bool NetTable::flag(std::string_view key, bool fallback) {
  const toml::node* node = find(key);
  if (node == nullptr) return fallback;
  if (const auto* value = node->as_boolean()) return value->get();
  text_.error(fmt::format("'{}' is true or false", key), text_.place(*node));
  return fallback;
}

std::string NetTable::word(std::string_view key, std::optional<std::string> fallback) {
  const toml::node* node = find(key, !fallback);
  if (node == nullptr) return fallback.value_or("");
  if (const auto* value = node->as_string()) return value->get();
  text_.error(fmt::format("'{}' is a string", key), text_.place(*node));
  return fallback.value_or("");
}

std::vector<std::string> NetTable::words(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  if (const auto* value = node->as_string()) return {value->get()};
  std::vector<std::string> values;
  if (const toml::array* list = node->as_array()) {
    for (const toml::node& element : *list) {
      if (const auto* value = element.as_string()) values.push_back(value->get());
    }
    if (!list->empty() && values.size() == list->size()) return values;
  }
  text_.error(fmt::format("'{}' is a name or a list of names", key), text_.place(*node));
  return {};
}

std::size_t NetTable::chosen(std::string_view key, const std::vector<std::string>& names, bool optional) {
  const toml::node* node = find(key, !optional);
  if (node == nullptr) return names.size();
  const auto* value = node->as_string();
  const std::string written = value == nullptr ? "" : value->get();
  const auto found = std::ranges::find(names, written);
  if (value != nullptr && found != names.end()) return std::size_t(found - names.begin());
  const std::string nearest = base::did_you_mean(written, names);
  text_.error(
      value == nullptr ? fmt::format("'{}' is a string", key) : fmt::format("'{}' is no value of '{}'", written, key),
      text_.place(*node), nearest.empty() ? fmt::format("one of: {}", fmt::join(names, ", ")) : nearest);
  return names.size();
}

const toml::table* NetTable::table(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr || node->is_table()) return node == nullptr ? nullptr : node->as_table();
  text_.error(fmt::format("'{}' is a table of keys", key), text_.place(*node),
              fmt::format("[{}] on a line of its own", key));
  return nullptr;
}

std::vector<const toml::table*> NetTable::tables(std::string_view key) {
  const toml::node* node = find(key);
  std::vector<const toml::table*> found;
  if (node == nullptr) return found;
  if (const toml::array* list = node->as_array()) {
    for (const toml::node& element : *list) {
      if (const toml::table* one = element.as_table()) found.push_back(one);
    }
    if (found.size() == list->size()) return found;
  }
  text_.error(fmt::format("'{}' is a list of tables", key), text_.place(*node),
              fmt::format("[[{}]] on a line of its own begins each", key));
  return {};
}

void NetTable::finish() const {
  for (auto&& [key, node] : table_) {
    if (std::ranges::find(asked_, key.str()) != asked_.end()) continue;
    const std::string nearest = base::did_you_mean(key.str(), asked_);
    text_.error(fmt::format("'{}' is no key of {}", key.str(), what_), text_.layer.locate(key.source()),
                nearest.empty() ? fmt::format("its keys: {}", fmt::join(asked_, ", ")) : nearest);
  }
}

}  // namespace podsim::workloads::nets
