// SPDX-License-Identifier: Apache-2.0
#include "app/run/partition_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <vector>

#include "app/options/file_option.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/input_file.h"
#include "hlo/spmd/mesh/annotation_mesh.h"

namespace podsim::app::run {
namespace {

template <class Predicate>
bool any_instruction(const hlo::Module& module, Predicate predicate) {
  return std::ranges::any_of(module.computations, [&](const hlo::Computation& computation) {
    return std::ranges::any_of(computation.instructions, predicate);
  });
}

/// True if the sharding splits an array.
bool cuts(const hlo::Sharding& sharding) {
  const std::size_t rank = sharding.kind == hlo::Sharding::Kind::tiled ? std::size_t(sharding.rank()) : 0;
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
  options::add_file_option(
      command, "--sharding", sharding,
      "Which axes cut which dimensions of named values (TOML)\n[the annotations of the text or of the workload]");
  command.add_flag(
      "--windowed-einsum", windowed_einsum,
      "Products whose operand would be gathered run as loops, each\ntrip's transfer concurrent with its product");
}

sw::placement::MeshText mesh_argument(const std::string& text) {
  sw::placement::MeshText mesh;
  at_mesh_flag(text, [&] { mesh = sw::placement::parse_mesh(text); });
  return mesh;
}

void at_mesh_flag(const std::string& text, const std::function<void()>& body) {
  try {
    base::host::locate_errors("--mesh", text, body);
  } catch (const base::InputError& error) {
    std::vector<base::Diagnostic> diagnostics = error.diagnostics();
    for (base::Diagnostic& diagnostic : diagnostics) {
      if (diagnostic.location.file == "mesh") diagnostic.location.file = "--mesh";
    }
    throw base::InputError(std::move(diagnostics));
  }
}

hlo::spmd::mesh::ShardingFile sharding_argument(const std::string& file) {
  return hlo::spmd::mesh::read_sharding_file(file, base::host::read_input("--sharding", file));
}

std::string unused_annotations(const hlo::Module& module) {
  const auto is_sharded = [](const hlo::Instruction& instruction) {
    return instruction.sharding && cuts(*instruction.sharding);
  };
  const auto is_collective = [](const hlo::Instruction& instruction) {
    return hlo::row(instruction.opcode).kind == hlo::OpcodeClass::collective;
  };
  if (module.scheduled || !any_instruction(module, is_sharded) || any_instruction(module, is_collective)) return "";
  std::string flag = "--mesh";
  try {
    flag += fmt::format(" '{}'", hlo::spmd::mesh::to_string(hlo::spmd::mesh::annotation_mesh(module)));
  } catch (const base::InputError&) {  // no single mesh fits the shardings; it is only a suggestion here
  }
  return fmt::format(
      "the shardings of {} cut values, and it has no collectives: it runs as the program of one core; if it is that of "
      "all cores together, {} cuts it",
      module.name, flag);
}

}  // namespace podsim::app::run
