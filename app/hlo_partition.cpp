// SPDX-License-Identifier: Apache-2.0
#include "app/hlo_partition.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/arguments.h"
#include "app/module_file.h"
#include "app/partition_options.h"
#include "app/standard_output.h"
#include "base/atomic_file.h"
#include "base/diagnostic.h"
#include "sw/spmd/partitioner.h"

namespace podsim::app {
namespace {

struct HloPartitionOptions {
  std::string file;
  PartitionFlags flags;
  std::vector<std::string> explain;
  std::string output;
};

sw::Mesh mesh_for(const HloPartitionOptions& options, const std::optional<sw::ShardingFile>& sharding,
                  const sw::Module& module) {
  if (!options.flags.mesh.empty()) return mesh_argument(options.flags.mesh).mesh;
  if (sharding) {
    if (auto mesh = mesh_of(*sharding)) return mesh->mesh;
  }
  if (auto mesh = mesh_of_annotations(module)) return mesh->mesh;
  throw base::InputError(fmt::format("nothing says for how many cores {} is to be partitioned", options.file),
                         "--mesh 'x=2,y=4', or shardings in the text");
}

void partition_file(const HloPartitionOptions& options) {
  std::vector<std::string> warnings;
  sw::Module module = read_module(options.file, warnings, "FILE");
  for (const std::string& warning : warnings) std::fputs(("warning: " + warning + "\n").c_str(), stderr);
  std::optional<sw::ShardingFile> sharding;
  if (!options.flags.sharding.empty()) sharding = sharding_argument(options.flags.sharding);
  const sw::Mesh mesh = mesh_for(options, sharding, module);
  if (sharding) annotate(module, mesh, *sharding);
  const sw::ModuleShardings shardings = propagate(module, mesh);
  std::string text;
  for (const std::string& pattern : options.explain) text += explain(module, mesh, shardings, pattern);
  if (options.explain.empty() || !options.output.empty()) {
    const std::string partitioned = to_string(partition(module, mesh, shardings, options.flags.options()));
    if (options.output.empty()) {
      text += partitioned;
    } else {
      base::write_file(options.output, partitioned);
    }
  }
  print_result(text);
}

}  // namespace

void add_hlo_partition(CLI::App& hlo) {
  auto options = std::make_shared<HloPartitionOptions>();
  CLI::App* part = hlo.add_subcommand("partition",
                                      "The program of one core out of one of the whole machine, by the shardings of "
                                      "its values")
                       ->group("Parts");
  part->add_option("FILE", options->file, "HLO text of a program that counts one device, or is annotated")
      ->option_text(" ")
      ->required();
  options->flags.add_to(*part);
  part->add_option(
          "--explain", options->explain,
          "Instead, the sharding of the values whose names match, such\nas '*dot*', and where each comes from; "
          "may be repeated")
      ->option_text("GLOB")
      ->allow_extra_args(false);
  part->add_option_function<std::string>(
          "-o,--output", [options](const std::string& text) { options->output = parse_path("-o", text); },
          "File for the partitioned text [stdout]")
      ->option_text("FILE");
  part->footer(
      "Examples:\n  podsim hlo partition step.hlo --mesh 'x=2,y=4' --sharding cuts.toml -o local.hlo\n"
      "  podsim hlo partition annotated.hlo --explain '*weights*'");
  part->callback([options] { partition_file(*options); });
}

}  // namespace podsim::app
