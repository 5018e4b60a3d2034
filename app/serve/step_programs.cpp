// SPDX-License-Identifier: Apache-2.0
#include "app/serve/step_programs.h"

#include <algorithm>
#include <cstdint>

#include "app/options/slice.h"
#include "app/run/compiled_step.h"
#include "app/run/run.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/interrupt.h"
#include "sw/driver/compile.h"
#include "sw/target_machine.h"
#include "workloads/importers/importer.h"
#include "workloads/models/registry.h"

namespace podsim::app::serve {

using workloads::serving::StepShape;

namespace {

constexpr std::int64_t least_cached = 128;  ///< keys of the smallest program: lanes of a vector register
constexpr std::int64_t cached_ratio = 4;    ///< of the keys of one program to those of the next smaller one
constexpr const char* default_slice = "1x1";
constexpr const char* parallel_key = "model.tensor_parallel";

/// The least size of programs with so many keys or more.
std::int64_t keys_above(std::int64_t keys) {
  std::int64_t above = least_cached;
  while (above < keys) above *= cached_ratio;
  return above;
}

/// Settings that follow from the shape of a step.
void refuse_shapes(const workloads::ModelSettings& model) {
  for (const char* key : {"model.batch", "decode.cached", "decode.new_tokens", "decode.capacity", "decode.prefill",
                          "decode.prefill_cached", "decode.steps", "decode.beam", "decode.all_next", "decode.logits"}) {
    const auto found = model.find(key);
    if (found == model.end()) continue;
    base::host::locate_errors("--set", found->first + "=" + found->second, [&] {
      throw base::InputError(std::string(key) + " follows from the requests of a server", "leave it out");
    });
  }
}

bool has_key(const std::string& workload, const char* key) {
  for (const workloads::WorkloadEntry& entry : workloads::models::workload_registry()) {
    if (entry.name != workload) continue;
    return std::ranges::find(entry.keys, key, &workloads::ModelKey::name) != entry.keys.end();
  }
  return false;
}

double linear(double at, double from, double to, double first, double last) {
  return first + (last - first) * (at - from) / (to - from);
}

}  // namespace

bool has_tokens(const std::string& workload) {
  return workloads::importers::importer_of(workload) == nullptr && has_key(workload, "decode.cached");
}

StepPrograms::StepPrograms(const run::RunOptions& options, bool tokens, base::Duration overhead)
    : options_(options), tokens_(tokens), overhead_(overhead) {
  const base::Config config = options.machine.load();
  const sw::TargetMachine machine = sw::read_target(config);
  slice_.machine = machine.name;
  slice_.slice = options.slice.empty() ? default_slice : options.slice;
  slice_.chips = options::parse_slice(slice_.slice, machine).nodes();
  slice_.cores = slice_.chips * machine.cores_per_chip;
  if (!tokens) return;
  workloads::ModelSettings& model = options_.build.model;
  refuse_shapes(model);
  const bool shared_otherwise = options.partition.any() || model.contains(parallel_key);
  if (!shared_otherwise && slice_.cores > 1 && has_key(options.workload, parallel_key)) {
    model[parallel_key] = std::to_string(slice_.cores);
  }
}

run::RunOptions StepPrograms::options_for(const StepShape& shape) const {
  run::RunOptions options = options_;
  options.slice = slice_.slice;
  options.build.inference = true;
  options.detail = "replay";
  if (!tokens_) {
    options.build.batch_per_core = (shape.decoding + slice_.cores - 1) / slice_.cores;
    return options;
  }
  options.build.decode = true;
  workloads::ModelSettings& model = options.build.model;
  const auto set = [&](const char* key, std::int64_t value) { model[key] = std::to_string(value); };
  // A model's tables of positions have a row for each token of its longest sequence.
  if (!model.contains("model.sequence"))
    set("model.sequence", std::max({longest_, shape.cached, shape.prefill_cached + shape.prefill_tokens}));
  if (shape.decoding == 0) {
    set("model.batch", 1);
    set("decode.cached", shape.prefill_cached);
    set("decode.new_tokens", shape.prefill_tokens);
    return options;
  }
  set("model.batch", shape.decoding);
  set("decode.cached", shape.cached - 1);  // the new token is one of the keys
  set("decode.new_tokens", 1);
  if (shape.prefill_tokens > 0) {
    set("decode.prefill", shape.prefill_tokens);
    set("decode.prefill_cached", shape.prefill_cached);
  }
  return options;
}

CacheRoom StepPrograms::cache_room(std::int64_t sequences) {
  const base::Config config = options_.machine.load();
  const sw::TargetMachine machine = sw::read_target(config);
  const auto memory = [&](std::int64_t cached) {
    const run::RunOptions options = options_for({.decoding = sequences, .cached = cached});
    run::StepCompiler compiler(options, machine);
    return compiler.compile().step.memory;
  };
  const sw::compiler::MemoryAccount small = memory(least_cached), large = memory(2 * least_cached);
  CacheRoom room;
  const double of_core = double((large.arguments - small.arguments).value()) / double(least_cached * sequences);
  const double others = double(small.peak.value()) - of_core * double(least_cached * sequences);
  room.bytes_per_token = of_core * double(slice_.cores);
  if (of_core > 0) room.tokens = std::int64_t((double(machine.hbm.usable_per_core().value()) - others) / of_core);
  return room;
}

double StepPrograms::simulated(const StepShape& shape) {
  const auto known = known_.find(shape);
  if (known != known_.end()) return known->second.seconds;
  const run::RunOptions options = options_for(shape);
  const double seconds = run::run_report(options).step_s() + overhead_.si();
  base::host::throw_on_interrupt();  // a run that has ended does not listen to interruptions
  known_[shape] = {shape, seconds};
  return seconds;
}

/// Programs that do not fit the memory are left out: the line through the last two that do goes on.
double StepPrograms::decoding(std::int64_t sequences, std::int64_t cached) {
  const auto at = [&](std::int64_t keys) { return simulated({.decoding = sequences, .cached = keys}); };
  if (cached <= least_cached) return at(least_cached);
  std::int64_t above = keys_above(cached);
  const auto most = most_cached_.find(sequences);
  if (most != most_cached_.end()) above = std::min(above, most->second);
  while (true) {
    const std::int64_t below = above / cached_ratio;
    try {
      const double last = at(above), first = at(below);
      return linear(double(cached), double(below), double(above), first, last);
    } catch (const sw::driver::OutOfMemory&) {
      if (below <= least_cached) throw;
      above = most_cached_[sequences] = below;
    }
  }
}

double StepPrograms::reading(std::int64_t tokens, std::int64_t before) {
  const auto at = [&](std::int64_t keys) { return simulated({.prefill_tokens = tokens, .prefill_cached = keys}); };
  if (before == 0) return at(0);
  const std::int64_t above = keys_above(before), below = above == least_cached ? 0 : above / cached_ratio;
  return linear(double(before), double(below), double(above), at(below), at(above));
}

double StepPrograms::seconds(const StepShape& shape) {
  if (!tokens_) return simulated(shape);
  if (shape.prefill_tokens == 0) return decoding(shape.decoding, shape.cached);
  if (shape.decoding == 0) return reading(shape.prefill_tokens, shape.prefill_cached);
  const double both =
      simulated({.decoding = shape.decoding, .cached = least_cached, .prefill_tokens = shape.prefill_tokens});
  return both + decoding(shape.decoding, shape.cached) - decoding(shape.decoding, least_cached) +
         reading(shape.prefill_tokens, shape.prefill_cached) - reading(shape.prefill_tokens, 0);
}

std::vector<report::serving::StepProgram> StepPrograms::programs() const {
  std::vector<report::serving::StepProgram> programs;
  for (const auto& [shape, program] : known_) programs.push_back(program);
  return programs;
}

}  // namespace podsim::app::serve
