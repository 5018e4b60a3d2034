// SPDX-License-Identifier: Apache-2.0
#include "workloads/model_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <optional>

#include "base/diagnostic.h"

namespace podsim::workloads {

namespace {

/// nullopt unless the whole text is a number.
template <typename Number>
std::optional<Number> parse(const std::string& text) {
  Number number{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

template <typename Number>
std::string number_problem(const std::string& text, Number least, Number most, std::string_view kind) {
  const std::optional<Number> number = parse<Number>(text);
  if (!number) return fmt::format("'{}' is not {}", text, kind);
  if (!(*number >= least && *number <= most)) return fmt::format("{} is not between {} and {}", text, least, most);
  return "";
}

template <typename Number>
ModelKey number_key(std::string name, Number value, Number least, Number most, std::string help) {
  const bool whole = std::is_integral_v<Number>;
  const std::string_view kind = whole ? "a whole number" : "a number";
  return {std::move(name),
          fmt::to_string(value),
          fmt::format("{} to {}", least, most),
          std::move(help),
          whole ? ModelValues::whole : ModelValues::real,
          [least, most, kind](const std::string& text) { return number_problem(text, least, most, kind); }};
}

/// A diagnostic for `length` bytes of "KEY=VALUE" from byte `offset`.
base::Diagnostic diagnostic(const std::string& assignment, std::size_t offset, std::size_t length, std::string message,
                            std::string hint) {
  base::Diagnostic result;
  result.message = std::move(message);
  result.hint = std::move(hint);
  result.location = base::locate("--set", assignment, offset, int(std::max<std::size_t>(length, 1)));
  result.location.line = 0;
  return result;
}

}  // namespace

void ModelKeys::add(std::string name, std::int64_t& field, std::int64_t least, std::int64_t most, std::string help) {
  keys_.push_back({number_key(std::move(name), field, least, most, std::move(help)),
                   [&field](const std::string& text) { field = *parse<std::int64_t>(text); }});
}

void ModelKeys::add(std::string name, double& field, double least, double most, std::string help) {
  keys_.push_back({number_key(std::move(name), field, least, most, std::move(help)),
                   [&field](const std::string& text) { field = *parse<double>(text); }});
}

void ModelKeys::add(std::string name, std::string& field, std::string values,
                    std::function<std::string(const std::string& text)> problem, std::string help) {
  keys_.push_back({{std::move(name), field, std::move(values), std::move(help), ModelValues::text, std::move(problem)},
                   [&field](const std::string& text) { field = text; }});
}

void ModelKeys::add(std::string name, bool& field, std::string help) {
  add(std::move(name), field, {{"on", true}, {"off", false}}, std::move(help));
}

void ModelKeys::add_choice(std::string name, std::vector<std::string> names, std::size_t chosen, std::string help,
                           std::function<void(std::size_t)> set) {
  const std::string values = fmt::format("{}", fmt::join(names, ", "));
  const auto problem = [names, values](const std::string& text) {
    return std::ranges::find(names, text) == names.end() ? fmt::format("'{}' is none of {}", text, values) : "";
  };
  keys_.push_back({{std::move(name), names[chosen], values, std::move(help), ModelValues::text, problem},
                   [names, set = std::move(set)](const std::string& text) {
                     set(std::size_t(std::ranges::find(names, text) - names.begin()));
                   }});
}

std::vector<ModelKey> ModelKeys::list() const {
  std::vector<ModelKey> result;
  for (const Key& key : keys_) result.push_back(key.key);
  return result;
}

void ModelKeys::apply(std::string_view workload, const ModelSettings& settings) const {
  std::vector<std::string> names;
  for (const Key& key : keys_) names.push_back(key.key.name);
  std::vector<base::Diagnostic> wrong;
  for (const auto& [name, value] : settings) {
    const std::string assignment = name + "=" + value;
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      const std::string nearest = base::did_you_mean(name, names);
      wrong.push_back(diagnostic(assignment, 0, name.size(), fmt::format("'{}' is not a key of {}", name, workload),
                                 nearest.empty() ? fmt::format("its keys: {}", fmt::join(names, ", ")) : nearest));
      continue;
    }
    const Key& key = keys_[found - names.begin()];
    const std::string fault = key.key.problem(value);
    if (fault.empty()) {
      key.set(value);
    } else {
      wrong.push_back(diagnostic(assignment, name.size() + 1, value.size(), fault,
                                 fmt::format("{}: {}, {}", name, key.key.help, key.key.values)));
    }
  }
  if (!wrong.empty()) throw base::InputError(std::move(wrong));
}

}  // namespace podsim::workloads
