// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/source_location.h"

#include <fmt/format.h>

#include <vector>

#include "hlo/stablehlo/attribute_value.h"

namespace podsim::hlo::stablehlo {
namespace {

constexpr int deepest_location = 64;

}  // namespace

SourceLocations::SourceLocations(const Attributes& aliases) {
  for (const NamedValue& alias : aliases) aliases_.emplace(alias.name, alias.value);
}

SourceLocations::Place SourceLocations::resolve(std::string_view text, int depth) {
  Cursor cursor(text);
  if (depth > deepest_location || !cursor.skip_space()) return {};
  if (cursor.accept('(')) return resolve(inner(text), depth + 1);
  if (cursor.accept('#')) {
    const auto found = aliases_.find(cursor.identifier("an alias"));
    if (found == aliases_.end()) return {};
    Cursor value(found->second);
    return value.accept_word("loc") ? resolve(value.bracketed(), depth + 1) : Place{};
  }
  if (cursor.peek() == '"') {
    const std::string_view string = cursor.quoted();
    if (cursor.accept(':')) return {{}, string, cursor.balanced(": \n")};
    Place place = cursor.peek() == '(' ? resolve(cursor.bracketed(), depth + 1) : Place{};
    place.name = string;
    return place;
  }
  if (cursor.accept_word("callsite")) {
    const std::string_view both = inner(cursor.bracketed());
    const std::size_t at = both.rfind(" at ");
    const Place callee = resolve(both.substr(0, at), depth + 1);
    if (!callee.file.empty() || at == std::string_view::npos) return callee;
    return resolve(both.substr(at + 4), depth + 1);
  }
  if (!cursor.accept_word("fused")) return {};
  if (cursor.peek() == '<') cursor.bracketed();
  for (const std::string_view part : parts(cursor.bracketed())) {
    const Place place = resolve(part, depth + 1);
    if (!place.file.empty() || !place.name.empty()) return place;
  }
  return {};
}

const std::string& SourceLocations::metadata(std::string_view location) {
  const auto [found, is_new] = made_.try_emplace(location);
  if (!is_new || location.empty()) return found->second;
  Place place;
  try {
    place = resolve(location, 0);
  } catch (const Fault&) {
    return found->second;  // a location is no part of the program
  }
  std::string fields;
  if (!place.name.empty()) fields += fmt::format("op_name=\"{}\"", place.name);
  if (!place.file.empty()) {
    fields += fmt::format("{}source_file=\"{}\" source_line={}", fields.empty() ? "" : " ", place.file, place.line);
  }
  if (!fields.empty()) found->second = ", metadata={" + fields + "}";
  return found->second;
}

}  // namespace podsim::hlo::stablehlo
