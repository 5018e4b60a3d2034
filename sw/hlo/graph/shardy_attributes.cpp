// SPDX-License-Identifier: Apache-2.0
#include "sw/hlo/graph/shardy_attributes.h"

#include <vector>

namespace podsim::sw::hlo::graph {

namespace {

/// The text without the backslashes of an attribute in quotes.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

/// What follows NAME=" up to the quote that is not escaped; empty if there is none.
std::string_view quoted_value(std::string_view attributes, std::string_view name) {
  const std::size_t at = attributes.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = attributes.substr(at + name.size());
  for (std::size_t end = 0; end < rest.size(); ++end) {
    if (rest[end] == '"') return rest.substr(0, end);
    if (rest[end] == '\\') ++end;
  }
  return {};
}

}  // namespace

ShardyAttributes::ShardyAttributes(const Module& module) {
  constexpr std::string_view meshes = "xla.sdy.meshes=", mark = "#sdy.mesh<";
  const std::string_view* attributes = find_value(module.attributes, "frontend_attributes");
  if (attributes == nullptr) return;
  const std::size_t begin = attributes->find(meshes);
  if (begin == std::string_view::npos) return;
  const std::string_view text = texts_.emplace_back(unescaped(attributes->substr(begin + meshes.size())));
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) return;
    const std::size_t last = text.find_last_not_of(" =", at - 1);
    if (at == 0 || last == std::string_view::npos) return;
    const std::size_t before = text.find_last_of(" {,\"", last);
    const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
    const std::size_t value = at + mark.size() - 1;
    meshes_.add_mesh({text.substr(first, last + 1 - first), text.substr(value, end + 1 - value)});
  }
}

std::string_view ShardyAttributes::sharding(std::string_view frontend_attributes) {
  const std::string_view value = quoted_value(frontend_attributes, "xla.sdy.sharding=\"");
  if (value.empty()) return {};
  const auto [found, is_new] = known_.emplace(frontend_attributes, "");
  if (!is_new) return found->second;
  const std::string_view plain = texts_.emplace_back(unescaped(value));
  if (!plain.starts_with("#sdy.sharding_per_value")) return found->second = meshes_.convert(plain).hlo;
  const std::vector<std::string_view> parts = stablehlo::ShardingTexts::list(plain);
  if (parts.size() == 1) return found->second = meshes_.convert(parts[0]).hlo;
  std::string all;
  for (const std::string_view part : parts) {
    const std::string hlo = meshes_.convert(part).hlo;
    all += (all.empty() ? "{" : ", ") + (hlo.empty() ? "{replicated}" : hlo);
  }
  return found->second = all + "}";
}

}  // namespace podsim::sw::hlo::graph
