// SPDX-License-Identifier: Apache-2.0
#include "app/partition_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <vector>

#include "app/arguments.h"
#include "app/input_file.h"
#include "base/diagnostic.h"
#include "sw/spmd/annotation_mesh.h"

namespace podsim::app {
namespace {

sw::MeshText without_places(const sw::Mesh& mesh) {
  sw::MeshText text{.text = to_string(mesh), .mesh = mesh, .places = {}};
  text.places.resize(mesh.axes().size());
  return text;
}

template <class Predicate>
bool any_instruction(const sw::Module& module, Predicate predicate) {
  return std::ranges::any_of(module.computations, [&](const sw::Computation& computation) {
    return std::ranges::any_of(computation.instructions, predicate);
  });
}

/// Whether an array is in pieces.
bool cuts(const sw::Sharding& sharding) {
  const std::size_t rank = sharding.kind == sw::Sharding::Kind::tiled ? std::size_t(sharding.rank()) : 0;
  return std::any_of(sharding.tiles.begin(), sharding.tiles.begin() + std::ptrdiff_t(rank),
                     [](std::int64_t tiles) { return tiles > 1; }) ||
         std::ranges::any_of(sharding.elements, cuts);
}

}  // namespace

void PartitionFlags::add_to(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--mesh",
          [this](const std::string& text) {
            mesh_argument(text);
            mesh = text;
          },
          "Axes of the cores, such as 'x=32,y=64', the slowest\nfirst; with their places on the slice as "
          "'x=32@X,y=64@Y+core'\nor X[4], blocks of neighbours [of the sharding file or text]")
      ->option_text("AXES");
  command
      .add_option_function<std::string>(
          "--sharding", [this](const std::string& text) { sharding = parse_path("--sharding", text); },
          "Which axes cut which dimensions of named values (TOML)\n[the annotations of the text or of the workload]")
      ->option_text("FILE");
  command.add_flag("--windowed-einsum", windowed_einsum,
                   "Products whose operand would be gathered run as loops, each\ntrip's transfer beside its product");
}

sw::PartitionOptions PartitionFlags::options() const {
  sw::PartitionOptions options;
  options.windowed_einsum = windowed_einsum;
  return options;
}

sw::MeshText mesh_argument(const std::string& text) {
  sw::MeshText mesh;
  at_mesh_flag(text, [&] { mesh = sw::parse_mesh(text); });
  return mesh;
}

void at_mesh_flag(const std::string& text, const std::function<void()>& body) {
  try {
    locate_errors("--mesh", text, body);
  } catch (const base::InputError& error) {
    std::vector<base::Diagnostic> diagnostics = error.diagnostics();
    for (base::Diagnostic& diagnostic : diagnostics) {
      if (diagnostic.location.file == "mesh") diagnostic.location.file = "--mesh";
    }
    throw base::InputError(std::move(diagnostics));
  }
}

sw::ShardingFile sharding_argument(const std::string& file) {
  return sw::read_sharding_file(file, read_input("--sharding", file));
}

std::optional<sw::MeshText> mesh_of(const sw::ShardingFile& file) {
  return file.mesh ? std::optional(without_places(*file.mesh)) : std::nullopt;
}

bool is_annotated(const sw::Module& module) {
  return any_instruction(module, [](const sw::Instruction& instruction) { return instruction.sharding != nullptr; });
}

std::optional<sw::MeshText> mesh_of_annotations(const sw::Module& module) {
  if (module.partitions == 1 || !is_annotated(module)) return std::nullopt;
  return without_places(annotation_mesh(module));
}

std::string unused_annotations(const sw::Module& module) {
  const auto is_cut = [](const sw::Instruction& instruction) {
    return instruction.sharding && cuts(*instruction.sharding);
  };
  const auto is_collective = [](const sw::Instruction& instruction) {
    return sw::row(instruction.opcode).kind == sw::OpcodeClass::collective;
  };
  if (module.scheduled || !any_instruction(module, is_cut) || any_instruction(module, is_collective)) return "";
  std::string flag = "--mesh";
  try {
    flag += fmt::format(" '{}'", to_string(annotation_mesh(module)));
  } catch (const base::InputError&) {  // they are of no one mesh, and nobody has asked for it
  }
  return fmt::format(
      "the shardings of {} cut values, and it has no collectives: it runs as the program of one core; if it is that of "
      "all cores together, {} cuts it",
      module.name, flag);
}

}  // namespace podsim::app
