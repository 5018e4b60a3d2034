// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/mesh_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "sw/spmd/mesh/annotation_mesh.h"

namespace podsim::sw::driver {
namespace {

spmd::mesh::MeshText without_placements(const spmd::mesh::Mesh& mesh) {
  spmd::mesh::MeshText text{.text = spmd::mesh::to_string(mesh), .mesh = mesh, .places = {}};
  text.places.resize(mesh.axes().size());
  return text;
}

/// The axis in the text of a sub-axis: "x" for " x[0:1] ".
std::string axis_name(std::string_view text) {
  text = text.substr(0, text.find('['));
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

/// The names of axes in a sharding file, in alphabetical order.
std::set<std::string> axes_in(const spmd::mesh::ShardingFile& file) {
  std::set<std::string> names;
  for (const spmd::mesh::ShardingRule& rule : file.rules) {
    for (const std::string& dimension : rule.dimensions) {
      for (std::size_t begin = 0; begin <= dimension.size();) {
        const std::size_t end = std::min(dimension.find('+', begin), dimension.size());
        const std::string name = axis_name(std::string_view(dimension).substr(begin, end - begin));
        if (!name.empty() && name != "-") names.insert(name);
        begin = end + 1;
      }
    }
  }
  return names;
}

}  // namespace

bool is_annotated(const ir::Module& module) {
  return std::ranges::any_of(module.computations, [](const ir::Computation& computation) {
    return std::ranges::any_of(computation.instructions,
                               [](const ir::Instruction& i) { return i.sharding != nullptr; });
  });
}

std::optional<spmd::mesh::MeshText> mesh_of(const spmd::mesh::ShardingFile& file) {
  return file.mesh ? std::optional(without_placements(*file.mesh)) : std::nullopt;
}

std::optional<spmd::mesh::MeshText> mesh_of_annotations(const ir::Module& module) {
  if (module.partitions == 1 || !is_annotated(module)) return std::nullopt;
  return without_placements(spmd::mesh::annotation_mesh(module));
}

spmd::mesh::MeshText mesh_of_one_axis(std::int64_t cores, const std::optional<spmd::mesh::ShardingFile>& sharding) {
  const std::set<std::string> names = sharding ? axes_in(*sharding) : std::set<std::string>{};
  if (names.size() > 1) {
    throw base::InputError(
        fmt::format("the sharding cuts along the axes {}, and nothing says how long they are", fmt::join(names, ", ")),
        "--mesh 'x=2,y=4', or axes in a section [mesh] of the file");
  }
  return spmd::mesh::parse_mesh(fmt::format("{}={}", names.empty() ? "data" : *names.begin(), cores));
}

}  // namespace podsim::sw::driver
