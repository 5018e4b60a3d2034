// SPDX-License-Identifier: Apache-2.0
// Part of app/run/compiled_step.h.
#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "app/run/compiled_step.h"
#include "app/run/files/module_file.h"
#include "workloads/importers/importer.h"

namespace podsim::app::run {
namespace {

std::string file_line(const std::string& file) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(file, ignored);
  const auto changed = std::filesystem::last_write_time(file, ignored).time_since_epoch().count();
  return fmt::format("file {} {} {}\n", file, size, changed);
}

std::string partition_lines(const PartitionFlags& flags) {
  std::string lines =
      fmt::format("mesh {}\nsharding {}\nupdate {}\n", flags.mesh, flags.sharding, flags.weight_update_sharding);
  if (!flags.sharding.empty()) lines += file_line(flags.sharding);
  if (flags.windowed_einsum) lines += "windowed\n";
  if (flags.rematerialise) lines += fmt::format("rematerialise {}\n", int(*flags.rematerialise));
  return lines;
}

std::string pipeline_lines(const options::PipelineFlags& flags) {
  if (!flags.asked()) return "";
  std::string lines =
      fmt::format("stages {}\nmicro-batches {}\nchunks {}\nschedule {}\ndivide-at {}\n", flags.stages.value_or(0),
                  flags.micro_batches.value_or(0), flags.chunks.value_or(0), flags.schedule, flags.divide_at);
  if (flags.schedule.ends_with(".toml")) lines += file_line(flags.schedule);
  return lines;
}

bool matters(std::string_view key, bool overlapped) {
  if (key.starts_with("host.") || key.starts_with("input.") || key.starts_with("job.") || key.starts_with("faults.")) {
    return false;
  }
  return overlapped || !key.starts_with("ici.");
}

}  // namespace

std::string step_key(const RunOptions& options, const base::Config& machine) {
  std::string key = fmt::format("workload {}\nslice {}\n", options.workload, options.slice);
  if (workloads::importers::importer_of(options.workload) != nullptr)
    key += file_line(workloads::importers::file_of(options.workload));
  const files::TrainingFlags& training = options.training;
  if (training.any()) {
    key += fmt::format("train {}\nloss {}\nparameters {}\nprecision {}\n", training.optimizer, training.loss,
                       training.parameters, training.precision);
  }
  for (const std::string& trips : options.trips) key += fmt::format("trips {}\n", trips);
  if (!options.costs.empty()) key += "costs " + file_line(options.costs);
  if (options.build.batch_per_core) key += fmt::format("batch {}\n", *options.build.batch_per_core);
  if (options.build.inference) key += options.build.decode ? "decode\n" : "inference\n";
  if (options.weights) key += fmt::format("weights {}\n", hlo::weights::to_string(*options.weights));
  if (options.build.optimizer) key += fmt::format("optimizer {}\n", int(*options.build.optimizer));
  const bool overlapped = options.overlap != sw::compiler::Overlap::none;
  if (overlapped) key += "overlap\n";
  if (!options.compiler.is_default())
    key += fmt::format("compiler {}\n", sw::driver::to_string(options.compiler_as_set()));
  for (const auto& [name, value] : options.build.model) key += fmt::format("{} = {}\n", name, value);
  key += partition_lines(options.partition);
  key += pipeline_lines(options.pipeline);
  if (options.operators.asked()) {
    key += fmt::format("operators {} {}\n", *options.operators.devices, options.operators.batch.value_or(0));
  }
  for (const base::ConfigEntry& entry : machine.entries()) {
    if (matters(entry.key, overlapped)) key += fmt::format("{} = {}\n", entry.key, entry.text);
  }
  return key;
}

}  // namespace podsim::app::run
