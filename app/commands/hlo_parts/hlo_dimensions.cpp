// SPDX-License-Identifier: Apache-2.0
#include "app/commands/hlo_parts/hlo_dimensions.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/run/compiled_step.h"
#include "app/run/files/module_file.h"
#include "base/host/standard_output.h"
#include "base/text/glob.h"
#include "base/text/json_text.h"
#include "base/text/text_table.h"
#include "hlo/spmd/propagate/dimension_classes.h"
#include "workloads/workload.h"

namespace podsim::app::commands::hlo_parts {
namespace {

using Json = nlohmann::ordered_json;

struct HloDimensionsOptions {
  std::string program;  ///< file or built-in workload
  std::string slice;
  workloads::machines::MachineChoice settings;
  bool json = false;
};

/// The program as it is given, with its donations.
hlo::Module module_of(HloDimensionsOptions& options) {
  const workloads::ModelSettings model = options.settings.take_model_settings();
  if (!run::files::names_workload(options.program)) {
    std::vector<std::string> warnings;
    hlo::Module module = run::files::read_module(options.program, warnings, "FILE", model).graph;
    for (const std::string& warning : warnings) base::host::print_warning(warning);
    return module;
  }
  run::RunOptions step;
  step.workload = options.program;
  step.slice = options.slice;
  step.build.model = model;
  const sw::TargetMachine machine = sw::read_target(options.settings.load());
  workloads::Workload workload = *run::StepCompiler(step, machine).take_workload();
  workload.step.module.donations = std::move(workload.step.donations);
  return std::move(workload.step.module);
}

/// "layer*/ffn/w_in[1]", each once, in program order.
std::vector<std::string> members_of_class(const hlo::Module& module, const hlo::spmd::propagate::DimensionClass& of) {
  std::vector<std::string> members;
  for (const hlo::spmd::propagate::EntryDimension& dimension : of.of) {
    const hlo::Instruction& value = module.entry_computation()[dimension.id];
    std::string member =
        fmt::format("{}[{}]", base::text::glob_of_numbered(value.op_name.empty() ? value.name : value.op_name),
                    dimension.dimension);
    if (std::ranges::find(members, member) == members.end()) members.push_back(std::move(member));
  }
  return members;
}

std::string dimension_table(const hlo::Module& module,
                            const std::vector<hlo::spmd::propagate::DimensionClass>& classes) {
  constexpr std::size_t shown = 6;
  using Align = base::text::TextTable::Align;
  base::text::TextTable table({Align::right, Align::right, Align::left});
  table.row({"size", "arrays", "dimensions of"});
  for (const hlo::spmd::propagate::DimensionClass& of : classes) {
    const std::vector<std::string> members = members_of_class(module, of);
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, members.size()); ++i) text += (i > 0 ? ", " : "") + members[i];
    if (members.size() > shown) text += fmt::format(", and {} more", members.size() - shown);
    table.row({std::to_string(of.size), std::to_string(of.of.size()), text});
  }
  return table.text();
}

Json dimensions_json(const std::string& program, const hlo::Module& module,
                     const std::vector<hlo::spmd::propagate::DimensionClass>& classes) {
  Json list = Json::array();
  for (const hlo::spmd::propagate::DimensionClass& of : classes) {
    list.push_back({{"size", of.size}, {"arrays", of.of.size()}, {"dimensions", members_of_class(module, of)}});
  }
  return {{"schema_version", 1}, {"command", "hlo dimensions"}, {"program", program}, {"classes", list}};
}

void print_dimensions(HloDimensionsOptions& options) {
  const hlo::Module module = module_of(options);
  const std::vector<hlo::spmd::propagate::DimensionClass> classes = hlo::spmd::propagate::dimension_classes(module);
  base::host::print_result(options.json
                               ? base::text::json_text(dimensions_json(options.program, module, classes), 2) + "\n"
                               : dimension_table(module, classes));
}

}  // namespace

void add_hlo_dimensions(CLI::App& hlo) {
  auto options = std::make_shared<HloDimensionsOptions>();
  CLI::App* dimensions =
      hlo.add_subcommand("dimensions",
                         "The dimensions of a program that go together: splitting one\nsplits all of its class (for "
                         "sharding files)")
          ->group("Parts");
  dimensions->add_option("FILE", options->program, "A file of podsim run, or a built-in workload")
      ->option_text(" ")
      ->required();
  dimensions->add_option("--slice", options->slice, "For which slice a workload is [as for run]")->option_text("AxB");
  options::add_machine_option(*dimensions, options->settings);
  options::add_set_option(*dimensions, options->settings);
  options::add_limit_option(*dimensions);
  dimensions->add_flag("--json", options->json, "One JSON object on stdout");
  dimensions->callback([options] { print_dimensions(*options); });
}

}  // namespace podsim::app::commands::hlo_parts
