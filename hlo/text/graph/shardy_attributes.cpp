// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/graph/shardy_attributes.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace podsim::hlo::text::graph {

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
  for (std::size_t at = attributes.find(name); at != std::string_view::npos; at = attributes.find(name, at + 1)) {
    const bool is_whole =
        at == 0 || attributes[at - 1] == '{' || attributes[at - 1] == ',' || attributes[at - 1] == ' ';
    const std::string_view rest = attributes.substr(at + name.size());
    if (!is_whole || !rest.starts_with("=\"")) continue;
    for (std::size_t end = 2; end < rest.size(); ++end) {
      if (rest[end] == '"') return rest.substr(2, end - 2);
      if (rest[end] == '\\') ++end;
    }
  }
  return {};
}

/// The axes of "'x'=2,'y'=4]"; empty if devices in an order of their own follow.
MeshAxes axes_in(std::string_view text) {
  MeshAxes axes;
  while (text.starts_with('\'')) {
    const std::size_t end = text.find('\'', 1);
    if (end == std::string_view::npos || !text.substr(end + 1).starts_with('=')) return {};
    std::int64_t size = 0;
    const auto [last, error] = std::from_chars(text.data() + end + 2, text.data() + text.size(), size);
    if (error != std::errc() || size < 1) return {};
    axes.emplace_back(text.substr(1, end - 1), size);
    text.remove_prefix(std::size_t(last - text.data()));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
  const bool lists_devices = text.substr(0, text.find('[')).find("device_ids") != std::string_view::npos;
  return lists_devices ? MeshAxes() : axes;
}

/// The meshes of shardings that name the axes, each once.
std::vector<MeshAxes> meshes_in_shardings(const Module& module) {
  constexpr std::string_view mark = "mesh[";
  std::vector<MeshAxes> meshes;
  for (const Instruction& instruction : module.instructions) {
    const std::string_view* sharding = find_value(module.attributes_of(instruction), "sharding");
    const std::size_t at = sharding == nullptr ? std::string_view::npos : sharding->find(mark);
    if (at == std::string_view::npos) continue;
    MeshAxes axes = axes_in(sharding->substr(at + mark.size()));
    if (!axes.empty() && std::ranges::find(meshes, axes) == meshes.end()) meshes.push_back(std::move(axes));
  }
  return meshes;
}

}  // namespace

std::vector<MeshAxes> declared_meshes(const Module& module) {
  std::vector<MeshAxes> declared = meshes_in_shardings(module);
  try {
    const ShardyAttributes attributes(module);
    for (const auto& [name, mesh] : attributes.meshes().meshes()) {
      if (!mesh.devices.empty()) continue;
      MeshAxes& axes = declared.emplace_back();
      for (const auto& [axis, size] : mesh.axes) axes.emplace_back(axis, size);
    }
  } catch (const stablehlo::Fault&) {  // the graph of such a module is an error with a location
    return {};
  }
  return declared;
}

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

std::string_view ShardyAttributes::value_of(std::string_view frontend_attributes, std::string_view name) {
  const std::string_view value = quoted_value(frontend_attributes, name);
  return value.empty() ? value : std::string_view(texts_.emplace_back(unescaped(value)));
}

std::string_view ShardyAttributes::sharding(std::string_view frontend_attributes, const AxisNames& manual) {
  if (manual.empty()) {
    const auto found = known_.find(frontend_attributes);
    if (found != known_.end()) return found->second;
  }
  const std::string_view plain = value_of(frontend_attributes, "xla.sdy.sharding");
  if (plain.empty()) return {};
  std::string made;
  const bool is_list = plain.starts_with("#sdy.sharding_per_value");
  const std::vector<std::string_view> parts =
      is_list ? stablehlo::ShardingTexts::list(plain) : std::vector<std::string_view>{plain};
  if (parts.size() == 1) {
    made = meshes_.convert(parts[0], manual).hlo;
  } else {
    for (const std::string_view part : parts) {
      const std::string hlo = meshes_.convert(part, manual).hlo;
      made += (made.empty() ? "{" : ", ") + (hlo.empty() ? "{unknown}" : hlo);
    }
    made += "}";
  }
  if (manual.empty()) return known_.emplace(frontend_attributes, std::move(made)).first->second;
  return texts_.emplace_back(std::move(made));
}

std::vector<std::string_view> ShardyAttributes::shardings(std::string_view frontend_attributes, std::string_view name) {
  const std::string_view value = value_of(frontend_attributes, name);
  return value.empty() ? std::vector<std::string_view>{} : stablehlo::ShardingTexts::list(value);
}

AxisNames ShardyAttributes::manual_axes(std::string_view frontend_attributes) {
  const std::string_view value = value_of(frontend_attributes, "xla.sdy.manual_axes");
  const std::size_t begin = value.find('{'), end = value.rfind('}');
  if (value.empty()) return {};
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    throw stablehlo::Fault(0, 1, "expected axes such as #sdy<manual_axes{\"x\"}>");
  }
  return stablehlo::parts(value.substr(begin, end + 1 - begin));
}

std::string ShardyAttributes::whole(std::string_view sharding, const AxisNames& manual) const {
  std::string hlo = meshes_.convert(sharding, manual).hlo;
  return hlo.empty() ? "{replicated}" : hlo;
}

std::string ShardyAttributes::shard(std::string_view sharding, std::size_t rank, const AxisNames& manual) const {
  return meshes_.manual(sharding, rank, manual);
}

}  // namespace podsim::hlo::text::graph
