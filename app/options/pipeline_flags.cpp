// SPDX-License-Identifier: Apache-2.0
#include "app/options/pipeline_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/input_file.h"
#include "base/text/counted.h"
#include "hlo/pipeline/schedule_file.h"
#include "hlo/pipeline/schedules.h"
#include "sw/driver/operation_times.h"
#include "workloads/pipelines/pipeline_step.h"

namespace podsim::app::options {
namespace {

constexpr std::int64_t max_stages = 1024, max_micro_batches = 4096, max_chunks = 64;

bool is_schedule_file(const std::string& schedule) { return schedule.ends_with(".toml"); }

void add_number(CLI::App& command, const char* flag, std::optional<std::int64_t>& number, std::int64_t most,
                const char* what) {
  command
      .add_option_function<std::string>(
          flag,
          [&number, flag, most](const std::string& text) {
            number = base::host::parse_whole_number(flag, text, 1, most);
          },
          what)
      ->option_text("N");
}

void check_number(const char* flag, std::optional<std::int64_t> given, std::int64_t in_file) {
  if (!given || *given == in_file) return;
  base::host::locate_errors(flag, std::to_string(*given),
                            [&] { throw base::InputError(fmt::format("the schedule of the file has {}", in_file)); });
}

std::vector<std::string> prefixes_in(const std::string& list) {
  std::vector<std::string> prefixes;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) prefixes.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return prefixes;
}

hlo::pipeline::Division division_of(const hlo::pipeline::Network& network, const PipelineFlags& flags,
                                    std::int64_t chunks, const sw::TargetMachine& machine) {
  hlo::pipeline::Division division;
  if (flags.divide_at.empty()) {
    base::host::locate_errors("--stages", std::to_string(flags.stages.value_or(chunks)),
                              [&] { division = sw::driver::timed_division(network, chunks, machine); });
    return division;
  }
  base::host::locate_errors("--divide-at", flags.divide_at, [&] {
    const std::vector<std::string> prefixes = prefixes_in(flags.divide_at);
    if (std::int64_t(prefixes.size()) + 1 != chunks) {
      throw base::InputError(fmt::format("{} begin at {}, not at {}", base::text::counted(chunks, "chunk"),
                                         base::text::counted(chunks - 1, "name"), prefixes.size()),
                             "the first chunk has no name");
    }
    division = hlo::pipeline::division_at(network, prefixes);
  });
  return division;
}

}  // namespace

void PipelineFlags::add_to(CLI::App& command) {
  add_number(command, "--stages", stages, max_stages,
             "Divide a training step into N stages, each on a core of its\nown; the slice has as many pipelines as fit "
             "[none]");
  add_number(command, "--micro-batches", micro_batches, max_micro_batches,
             "Parts of a pipeline's batch that follow each other through\nits stages");
  command
      .add_option("--schedule", schedule,
                  "Order of what a stage computes: gpipe, 1f1b, interleaved,\nzero-bubble, or a file FILE.toml [1f1b]")
      ->option_text("NAME|FILE");
  add_number(command, "--chunks", chunks, max_chunks,
             "Chunks of the network on each stage, of schedule\ninterleaved [2]");
  command
      .add_option("--divide-at", divide_at,
                  "Where chunks begin, but for the first: names of operations or\nof what they are in, such as "
                  "layer3,layer6 [where all chunks\ncost the same]")
      ->option_text("LIST");
}

hlo::pipeline::Schedule PipelineFlags::read_schedule() const {
  if (is_schedule_file(schedule)) {
    if (chunks) throw base::InputError("--chunks is in the file of the schedule");
    hlo::pipeline::Schedule read =
        hlo::pipeline::read_schedule(schedule, base::host::read_input("--schedule", schedule));
    check_number("--stages", stages, std::int64_t(read.stages.size()));
    check_number("--micro-batches", micro_batches, read.microbatches);
    return read;
  }
  const std::string name = schedule.empty() ? "1f1b" : schedule;
  hlo::pipeline::Schedule chosen;
  base::host::locate_errors("--schedule", name, [&] {
    if (!stages) throw base::InputError("how many stages a pipeline has is not given", "add --stages N");
    if (!micro_batches) {
      throw base::InputError("into how many micro-batches a batch is divided is not given", "add --micro-batches N");
    }
    chosen = hlo::pipeline::schedule_by_name(name, *stages, *micro_batches, chunks);
  });
  return chosen;
}

workloads::TrainingStep PipelinedNetwork::step(hlo::pipeline::Kept kept) const {
  return workloads::pipelines::pipeline_step(*network, division, {schedule, kept, pipelines}).step;
}

std::optional<hlo::pipeline::Kept> kept_by(std::optional<hlo::transform::Rematerialisation> policy) {
  if (!policy) return std::nullopt;
  if (*policy == hlo::transform::Rematerialisation::none) return hlo::pipeline::Kept::activations;
  if (*policy == hlo::transform::Rematerialisation::layer) return hlo::pipeline::Kept::received;
  throw base::InputError("a stage keeps all activations (--rematerialise none) or what it receives (layer)");
}

PipelinedNetwork divided(const workloads::TrainingStep& step, const PipelineFlags& flags, std::int64_t cores,
                         const sw::TargetMachine& machine) {
  if (step.forward == nullptr) {
    throw base::InputError("the workload has stages already, divides its batch itself, or trains nothing",
                           "leave out --stages and --schedule");
  }
  if (!step.frozen.empty()) {
    throw base::InputError("a network with parameters that are not trained cannot be divided into stages");
  }
  PipelinedNetwork pipelined{step.forward, flags.read_schedule(), {}, 1, 0};
  const std::int64_t stages = std::int64_t(pipelined.schedule.stages.size());
  if (cores % stages != 0) {
    base::host::locate_errors("--stages", std::to_string(stages), [&] {
      throw base::InputError(fmt::format("{} are not a multiple of {}", base::text::counted(cores, "core"),
                                         base::text::counted(stages, "stage")),
                             "choose a slice with --slice");
    });
  }
  pipelined.pipelines = cores / stages;
  pipelined.division =
      division_of(workloads::pipelines::divisible(*step.forward), flags, pipelined.schedule.chunks, machine);
  return pipelined;
}

PipelinedNetwork divided(const std::function<workloads::Workload(const workloads::WorkloadOptions&)>& build,
                         workloads::WorkloadOptions options, const PipelineFlags& flags, std::int64_t cores,
                         const sw::TargetMachine& machine) {
  const hlo::pipeline::Schedule schedule = flags.read_schedule();
  options.replicas = 1;
  if (!options.batch_per_core) options.batch_per_core = build(options).samples;
  const std::int64_t stages = std::int64_t(schedule.stages.size()), batch = *options.batch_per_core * stages;
  if (batch % schedule.microbatches != 0 || batch == 0) {
    base::host::locate_errors("--micro-batches", std::to_string(schedule.microbatches), [&] {
      throw base::InputError(
          fmt::format("the batch of a pipeline, {} on each of {}, is not a multiple of {}",
                      base::text::counted(*options.batch_per_core, "sample"), base::text::counted(stages, "core"),
                      base::text::counted(schedule.microbatches, "micro-batch", "micro-batches")),
          "choose a batch with --batch-per-core");
    });
  }
  options.batch_per_core = batch / schedule.microbatches;
  const workloads::Workload workload = build(options);
  PipelinedNetwork pipelined = divided(workload.step, flags, cores, machine);
  pipelined.samples = batch * pipelined.pipelines;
  return pipelined;
}

}  // namespace podsim::app::options
