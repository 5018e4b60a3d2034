// SPDX-License-Identifier: Apache-2.0
#include "app/serve/step_programs.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "app/options/slice.h"
#include "app/run/compiled_step.h"
#include "app/run/run.h"
#include "base/diagnostic.h"
#include "base/host/interrupt.h"
#include "sw/driver/compile.h"
#include "sw/target_machine.h"
#include "workloads/importers/importer.h"
#include "workloads/models/registry.h"

namespace podsim::app::serve {

using workloads::serving::StepShape;

namespace {

constexpr std::int64_t least_cached = 128;  ///< tokens of the smallest program: lanes of a vector register
constexpr const char* default_slice = "1x1";

double linear(double at, double from, double to, double first, double last) {
  return first + (last - first) * (at - from) / (to - from);
}

}  // namespace

bool has_tokens(const std::string& workload) {
  if (workloads::importers::importer_of(workload) != nullptr) return false;
  for (const workloads::WorkloadEntry& entry : workloads::models::workload_registry()) {
    if (entry.name != workload) continue;
    return std::ranges::find(entry.keys, "decode.cached", &workloads::ModelKey::name) != entry.keys.end();
  }
  return false;
}

StepPrograms::StepPrograms(const run::RunOptions& options, bool tokens, base::Duration overhead)
    : options_(options), tokens_(tokens), overhead_(overhead) {
  const base::Config config = options.machine.load();
  const sw::TargetMachine machine = sw::read_target(config);
  slice_.machine = machine.name;
  slice_.slice = options.slice.empty() ? default_slice : options.slice;
  slice_.chips = options::parse_slice(slice_.slice, machine).nodes();
  slice_.cores = slice_.chips * machine.cores_per_chip;
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

/// Linear in the tokens that sequences have in the cache. Programs that do not fit the memory are left out: the line
/// through the last two that do goes on.
double StepPrograms::between_decoding(StepShape shape) {
  if (shape.decoding == 0) return between_prompts(shape);
  const std::int64_t cached = shape.cached;
  const auto at = [&](std::int64_t tokens) {
    shape.cached = tokens;
    return between_prompts(shape);
  };
  if (cached <= least_cached) return at(least_cached);
  auto high = std::int64_t(std::bit_ceil(std::uint64_t(cached)));
  const auto most = most_cached_.find(shape.decoding);
  if (most != most_cached_.end()) high = std::min(high, most->second);
  while (true) {
    try {
      const double last = at(high), first = at(high / 2);
      return linear(double(cached), double(high) / 2, double(high), first, last);
    } catch (const sw::driver::OutOfMemory&) {
      high /= 2;
      if (high <= least_cached) throw;
      most_cached_[shape.decoding] = high;
    }
  }
}

/// Linear in the tokens of prompts that were read before.
double StepPrograms::between_prompts(StepShape shape) {
  const std::int64_t before = shape.prefill_cached;
  if (before == 0) return simulated(shape);
  const auto at = [&](std::int64_t tokens) {
    shape.prefill_cached = tokens;
    return simulated(shape);
  };
  const auto above = std::int64_t(std::bit_ceil(std::uint64_t(std::max(before, least_cached))));
  if (above == before || above == least_cached) return at(above);
  return linear(double(before), double(above) / 2, double(above), at(above / 2), at(above));
}

double StepPrograms::seconds(const StepShape& shape) { return between_decoding(shape); }

std::vector<report::serving::StepProgram> StepPrograms::programs() const {
  std::vector<report::serving::StepProgram> programs;
  for (const auto& [shape, program] : known_) programs.push_back(program);
  return programs;
}

}  // namespace podsim::app::serve
