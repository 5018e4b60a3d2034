// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/mesh_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "hlo/spmd/mesh/annotation_mesh.h"
#include "hlo/spmd/mesh/axis_sharding.h"
#include "hlo/spmd/mesh/device_numbering.h"

namespace podsim::sw::driver {
namespace {

placement::MeshText without_placements(const hlo::spmd::mesh::Mesh& mesh) {
  placement::MeshText text{.text = hlo::spmd::mesh::to_string(mesh), .mesh = mesh, .places = {}};
  text.places.resize(mesh.axes().size());
  return text;
}

/// True for a name that texts of meshes can have.
bool is_plain(const std::string& name) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !name.empty() && std::ranges::all_of(name, is_word);
}

/// True if all tiled shardings of a module are along axes of the mesh, or parts of them.
bool fits(const hlo::Module& module, const hlo::spmd::mesh::Mesh& mesh) {
  const auto is_along = [&](const hlo::Sharding& sharding) {
    return sharding.kind != hlo::Sharding::Kind::tiled ||
           hlo::spmd::mesh::from_hlo(mesh, sharding, sharding.rank()).has_value();
  };
  return std::ranges::all_of(module.computations, [&](const hlo::Computation& computation) {
    return std::ranges::all_of(computation.instructions, [&](const hlo::Instruction& instruction) {
      return !instruction.sharding ||
             (is_along(*instruction.sharding) && std::ranges::all_of(instruction.sharding->elements, is_along));
    });
  });
}

/// The axis in the text of a sub-axis: "x" for " x[0:1] ".
std::string axis_name(std::string_view text) {
  text = text.substr(0, text.find('['));
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

/// The names of axes in a sharding file, in alphabetical order.
std::set<std::string> axes_in(const hlo::spmd::mesh::ShardingFile& file) {
  std::set<std::string> names;
  for (const hlo::spmd::mesh::ShardingRule& rule : file.rules) {
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

bool is_annotated(const hlo::Module& module) {
  return std::ranges::any_of(module.computations, [](const hlo::Computation& computation) {
    return std::ranges::any_of(computation.instructions,
                               [](const hlo::Instruction& i) { return i.sharding != nullptr; });
  });
}

std::optional<placement::MeshText> mesh_of(const hlo::spmd::mesh::ShardingFile& file) {
  return file.mesh ? std::optional(without_placements(*file.mesh)) : std::nullopt;
}

std::optional<placement::MeshText> mesh_of_annotations(const hlo::Module& module) {
  if (module.partitions == 1 || !is_annotated(module)) return std::nullopt;
  return without_placements(hlo::spmd::mesh::annotation_mesh(module));
}

std::optional<placement::MeshText> mesh_of_declared(const hlo::Module& module,
                                                    const std::vector<std::vector<hlo::spmd::mesh::MeshAxis>>& meshes) {
  if (module.partitions == 1 || !is_annotated(module) || !hlo::spmd::mesh::device_numbers(module).empty()) {
    return std::nullopt;
  }
  for (const std::vector<hlo::spmd::mesh::MeshAxis>& axes : meshes) {
    if (!std::ranges::all_of(axes, is_plain, &hlo::spmd::mesh::MeshAxis::name)) continue;
    const hlo::spmd::mesh::Mesh mesh(axes);
    if (mesh.partitions() == module.partitions && fits(module, mesh)) return without_placements(mesh);
  }
  return std::nullopt;
}

placement::MeshText mesh_of_one_axis(std::int64_t cores, const std::optional<hlo::spmd::mesh::ShardingFile>& sharding) {
  const std::set<std::string> names = sharding ? axes_in(*sharding) : std::set<std::string>{};
  if (names.size() > 1) {
    throw base::InputError(
        fmt::format("the sharding cuts along the axes {}, and nothing says how long they are", fmt::join(names, ", ")),
        "--mesh 'x=2,y=4', or axes in a section [mesh] of the file");
  }
  return placement::parse_mesh(fmt::format("{}={}", names.empty() ? "data" : *names.begin(), cores));
}

}  // namespace podsim::sw::driver
