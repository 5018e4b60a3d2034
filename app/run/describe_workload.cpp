// SPDX-License-Identifier: Apache-2.0
#include "app/run/describe_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/host/arguments.h"
#include "base/host/standard_output.h"
#include "base/text/json_text.h"
#include "workloads/models/registry.h"

namespace podsim::app::run {
namespace {

/// What a step trains: the tensors that it replaces, less their slots, which are named after them.
struct Trained {
  std::int64_t numbers = 0, tensors = 0;
};

Trained trained_by(const workloads::TrainingStep& step) {
  const hlo::Computation& entry = step.module.entry_computation();
  std::vector<std::string> names;
  for (const hlo::Donation& donation : step.donations) {
    names.push_back(entry[entry.parameters[std::size_t(donation.parameter)]].name);
  }
  std::ranges::sort(names);
  Trained trained;
  for (const hlo::Donation& donation : step.donations) {
    const hlo::Instruction& parameter = entry[entry.parameters[std::size_t(donation.parameter)]];
    const std::size_t slash = parameter.name.rfind('/');
    const bool is_slot =
        slash != std::string::npos && std::ranges::binary_search(names, parameter.name.substr(0, slash));
    if (is_slot) continue;
    trained.numbers += parameter.shape.element_count();
    ++trained.tensors;
  }
  return trained;
}

/// 44401393 -> 44,401,393
std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  for (int i = int(text.size()) - 3; i > 0; i -= 3) text.insert(std::size_t(i), ",");
  return text;
}

std::string help_of(const workloads::ModelKey& key) {
  std::string help = key.help;
  std::ranges::replace(help, '\n', ' ');
  return help;
}

std::string text_of(const workloads::WorkloadEntry& entry, const workloads::Workload& workload,
                    const Trained& trained) {
  std::string text = fmt::format("{}: {}\n\n", entry.name, entry.description);
  text += fmt::format("samples      {} in a step of one core\n", with_commas(workload.samples));
  if (trained.tensors > 0) {
    text += fmt::format("trained      {} numbers in {} tensors\n", with_commas(trained.numbers), trained.tensors);
  }
  if (workload.model_flops > 0) {
    text += fmt::format("model FLOPs  {:.4g} for a sample\n", workload.model_flops / double(workload.samples));
  }
  text += fmt::format("program      of {}\n", workload.global ? "the whole machine, to be partitioned" : "one core");
  text += fmt::format("left out     {}\n\nkeys\n", entry.left_out.empty() ? "nothing" : entry.left_out);
  std::size_t width = 0;
  for (const workloads::ModelKey& key : entry.keys) width = std::max(width, key.name.size());
  for (const workloads::ModelKey& key : entry.keys) {
    text += fmt::format("  {:<{}}  {}: {} [{}]\n", key.name, width, help_of(key), key.values, key.default_value);
  }
  return text;
}

std::string json_of(const workloads::WorkloadEntry& entry, const workloads::Workload& workload,
                    const Trained& trained) {
  nlohmann::ordered_json keys = nlohmann::ordered_json::array();
  for (const workloads::ModelKey& key : entry.keys) {
    keys.push_back({{"key", key.name}, {"default", key.default_value}, {"values", key.values}, {"help", help_of(key)}});
  }
  const nlohmann::ordered_json result = {{"schema_version", 1},
                                         {"command", "run --describe"},
                                         {"workload", entry.name},
                                         {"description", entry.description},
                                         {"samples", workload.samples},
                                         {"trained_numbers", trained.numbers},
                                         {"trained_tensors", trained.tensors},
                                         {"model_flops", workload.model_flops},
                                         {"global", workload.global},
                                         {"left_out", entry.left_out},
                                         {"keys", keys}};
  return base::text::json_text(result, 2) + "\n";
}

}  // namespace

void describe_workload(const RunOptions& options) {
  workloads::Workload workload;
  base::host::locate_errors("workload", options.workload,
                            [&] { workload = workloads::models::build_workload(options.workload, options.build); });
  const auto& registry = workloads::models::workload_registry();
  const workloads::WorkloadEntry& entry =
      *std::ranges::find(registry, options.workload, &workloads::WorkloadEntry::name);
  const Trained trained = trained_by(workload.step);
  base::host::print_result(options.json ? json_of(entry, workload, trained) : text_of(entry, workload, trained));
}

}  // namespace podsim::app::run
