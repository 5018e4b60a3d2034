// SPDX-License-Identifier: Apache-2.0
#include "app/serve/step_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <utility>

#include "app/options/slice.h"
#include "app/run/compiled_step.h"
#include "app/run/run.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/interrupt.h"
#include "hw/energy/static_power.h"
#include "sw/driver/compile.h"
#include "sw/target_machine.h"
#include "workloads/importers/importer.h"
#include "workloads/models/registry.h"

namespace podsim::app::serve {

using workloads::serving::StepCost;
using workloads::serving::StepShape;

namespace {

constexpr std::int64_t least_cached = 128;  ///< keys of the smallest program: lanes of a vector register
constexpr std::int64_t keys_ratio = 4;      ///< of the keys of a program to those of the next smaller one
constexpr std::int64_t most_slots = 1024;   ///< of model.capacity_multiple
constexpr const char* default_slice = "1x1";
constexpr const char* parallel_key = "model.tensor_parallel";

/// Settings that follow from the shape of a step.
void refuse_shapes(const workloads::ModelSettings& model, const std::string& flag) {
  for (const char* key : {"model.batch", "decode.cached", "decode.new_tokens", "decode.capacity", "decode.prefill",
                          "decode.prefill_cached", "decode.steps", "decode.beam", "decode.all_next", "decode.logits"}) {
    const auto found = model.find(key);
    if (found == model.end()) continue;
    base::host::locate_errors(flag, found->first + "=" + found->second, [&] {
      throw base::InputError(std::string(key) + " follows from the requests of a server", "leave it out");
    });
  }
}

/// A workload says of its settings that --set gave them; here `flag` did.
base::InputError with_flag(const base::InputError& error, const std::string& flag) {
  std::vector<base::Diagnostic> diagnostics = error.diagnostics();
  for (base::Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.location.file == "--set") diagnostic.location.file = flag;
  }
  return base::InputError(std::move(diagnostics));
}

/// nullptr if there is no such workload or key.
const workloads::ModelKey* find_key(const std::string& workload, const char* key) {
  for (const workloads::WorkloadEntry& entry : workloads::models::workload_registry()) {
    if (entry.name != workload) continue;
    const auto found = std::ranges::find(entry.keys, key, &workloads::ModelKey::name);
    return found == entry.keys.end() ? nullptr : &*found;
  }
  return nullptr;
}

/// The sizes of programs below and above so many keys, which are more than least_cached. The largest one is that of the
/// longest sequence.
std::pair<std::int64_t, std::int64_t> sizes_around(std::int64_t keys, std::int64_t longest) {
  const std::int64_t most = (longest + least_cached - 1) / least_cached * least_cached;
  std::int64_t below = least_cached;
  while (below * keys_ratio < keys) below *= keys_ratio;
  return {below, most > below ? std::min(below * keys_ratio, most) : below * keys_ratio};
}

StepCost linear(std::int64_t at, std::int64_t from, std::int64_t to, const StepCost& first, const StepCost& last) {
  return workloads::serving::between(first, last, double(at - from) / double(to - from));
}

StepCost cost_of(const report::run::RunReport& report) {
  StepCost cost(report.step_s());
  cost.joules = report.energy().joules();
  cost.mxu_s = report.mxu_utilization() * report.step_s();
  cost.hbm_s = report.hbm_utilization() * report.step_s();
  return cost;
}

}  // namespace

bool has_tokens(const std::string& workload) {
  return workloads::importers::importer_of(workload) == nullptr && find_key(workload, "decode.prefill") != nullptr;
}

StepPrograms::StepPrograms(const run::RunOptions& options, bool tokens, base::Duration overhead, std::string flag)
    : options_(options), tokens_(tokens), overhead_(overhead), flag_(std::move(flag)) {
  const base::Config config = options.machine.load();
  const sw::TargetMachine machine = sw::read_target(config);
  slice_.machine = machine.name;
  slice_.slice = options.slice.empty() ? default_slice : options.slice;
  slice_.chips = options::parse_slice(slice_.slice, machine).nodes();
  slice_.cores = slice_.chips * machine.cores_per_chip;
  slice_.idle_watts = hw::energy::idle_watts(machine) * double(slice_.chips);
  if (!tokens) return;
  workloads::ModelSettings& model = options_.build.model;
  refuse_shapes(model, flag_);
  check_model();
  const bool shared_otherwise = options.partition.any() || model.contains(parallel_key);
  if (!shared_otherwise && slice_.cores > 1 && find_key(options.workload, parallel_key) != nullptr) {
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
  // A model's tables of positions have a row for each token of its longest sequence; sizes of programs are rounded up.
  set("model.sequence",
      std::max({positions(), longest_, 2 * least_cached, shape.cached, shape.prefill_cached + shape.prefill_tokens}));
  if (shape.decoding == 0) {
    set("model.batch", 1);
    set("decode.cached", shape.prefill_cached);
    set("decode.new_tokens", shape.prefill_tokens);
    set_slots(model, shape.prefill_tokens);
    return options;
  }
  set("model.batch", shape.decoding);
  set("decode.cached", shape.cached - new_tokens_);  // the new tokens are among the keys
  set("decode.new_tokens", new_tokens_);
  if (new_tokens_ > 1) model["decode.all_next"] = "on";
  if (shape.prefill_tokens > 0) {
    set("decode.prefill", shape.prefill_tokens);
    set("decode.prefill_cached", shape.prefill_cached);
  }
  set_slots(model, shape.decoding * new_tokens_ + shape.prefill_tokens);
  return options;
}

void StepPrograms::skew_experts(double skew, std::uint64_t seed) {
  const std::int64_t experts = whole_setting("model.experts");
  if (experts == 0) {
    throw base::InputError(fmt::format("'{}' has no experts", options_.workload),
                           "--set model.experts=8, or leave out --expert-skew");
  }
  for (const char* key : {"model.expert_group", "model.capacity_factor", "model.capacity_multiple"}) {
    if (!options_.build.model.contains(key)) continue;
    throw base::InputError(fmt::format("{} follows from --expert-skew", key), "leave out one of them");
  }
  experts_ = {experts, skew, seed};
}

void StepPrograms::set_slots(workloads::ModelSettings& model, std::int64_t tokens) const {
  if (!experts_) return;
  const std::int64_t slots = workloads::serving::tokens_of_busiest(*experts_, tokens);
  if (slots > most_slots) {
    throw base::InputError(fmt::format("an expert gets {} tokens of a step, more than {}", slots, most_slots),
                           "a lower --chunk or --max-batch");
  }
  model["model.expert_group"] = std::to_string(tokens);
  // Slots are a multiple of so many, and the share of the least factor is below that.
  model["model.capacity_multiple"] = std::to_string(slots);
  model["model.capacity_factor"] = "0.125";
}

sw::compiler::MemoryAccount StepPrograms::memory_with(std::int64_t sequences, std::int64_t cached) {
  const sw::TargetMachine machine = sw::read_target(options_.machine.load());
  const run::RunOptions options = options_for({.decoding = sequences, .cached = cached});
  try {
    run::StepCompiler compiler(options, machine);
    const run::CompiledStep compiled = compiler.compile();
    add_warnings(compiled.step.warnings);
    return compiled.step.memory;
  } catch (const sw::driver::OutOfMemory&) {
    throw;
  } catch (const base::InputError& error) {
    throw with_flag(error, flag_);
  }
}

MemoryUse StepPrograms::memory_use(std::int64_t sequences) {
  const sw::compiler::MemoryAccount small = memory_with(sequences, least_cached),
                                    large = memory_with(sequences, 2 * least_cached);
  MemoryUse use;
  use.per_token = double((large.arguments - small.arguments).value()) / double(least_cached * sequences);
  const double caches = use.per_token * double(least_cached * sequences);
  use.peak = double(small.peak.value()) - caches;
  use.arguments = double(small.arguments.value()) - caches;
  return use;
}

CacheRoom StepPrograms::cache_room(std::int64_t sequences, const MemoryUse& draft) {
  const sw::TargetMachine machine = sw::read_target(options_.machine.load());
  const MemoryUse own = memory_use(sequences);
  const double others = std::max(own.peak + draft.arguments, own.arguments + draft.peak);
  const double of_core = own.per_token + draft.per_token;
  CacheRoom room;
  room.bytes_per_token = of_core * double(slice_.cores);
  if (of_core > 0) room.tokens = std::int64_t((double(machine.hbm.usable_per_core().value()) - others) / of_core);
  room_ = room.tokens;
  return room;
}

StepCost StepPrograms::simulated(const StepShape& shape) {
  const auto known = known_.find(shape);
  if (known != known_.end()) return known->second.cost;
  const run::RunOptions options = options_for(shape);
  StepCost cost(overhead_.si());
  cost.joules = overhead_.si() * slice_.idle_watts;
  try {
    const report::run::RunReport report = run::run_report(options);
    add_warnings(report.warnings);
    cost += cost_of(report);
  } catch (const sw::driver::OutOfMemory& error) {
    if (shape.prefill_tokens == 0) throw;
    std::vector<base::Diagnostic> diagnostics = error.diagnostics();
    diagnostics.push_back(
        {base::Diagnostic::Severity::note,
         fmt::format("the step reads {} tokens of prompts: --chunk limits them", shape.prefill_tokens),
         {},
         ""});
    throw sw::driver::OutOfMemory(std::move(diagnostics));
  }
  base::host::throw_on_interrupt();  // a run that has ended does not listen to interruptions
  known_[shape] = {shape, cost};
  return cost;
}

std::string StepPrograms::setting(const char* key) const {
  const workloads::ModelKey* known = find_key(options_.workload, key);
  if (known == nullptr) return "";
  const auto found = options_.build.model.find(key);
  if (found == options_.build.model.end()) return known->default_value;
  base::host::locate_errors(flag_, found->first + "=" + found->second, [&] {
    const std::string problem = known->problem(found->second);
    if (!problem.empty()) throw base::InputError(problem, fmt::format("{}: {}, {}", key, known->help, known->values));
  });
  return found->second;
}

std::int64_t StepPrograms::whole_setting(const char* key) const {
  const std::string text = setting(key);
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void StepPrograms::check_model() const {
  setting("model.sequence");  // options_for() sets it anew
  if (whole_setting("model.encoder_layers") > 0) {
    throw base::InputError(
        fmt::format("'{}' has an encoder, whose passes a server of tokens does not have", options_.workload),
        fmt::format("a decoder alone: {} model.encoder_layers=0", flag_));
  }
  if (whole_setting("model.window") > 0) {
    throw base::InputError("a server keeps all keys of its sequences, and has no model.window",
                           flag_ + " model.window=0");
  }
}

std::int64_t StepPrograms::positions() const { return setting("model.position_embedding") == "on" ? sequence() : 0; }

void StepPrograms::add_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::string words = warning;
    std::erase_if(words, [](unsigned char letter) { return std::isdigit(letter) != 0; });
    if (warned_.insert(words).second) warnings_.push_back(warning);
  }
}

/// Programs that do not fit the memory are left out: the line through the last two that do goes on.
StepCost StepPrograms::decoding_cost(std::int64_t sequences, std::int64_t cached) {
  const auto at = [&](std::int64_t keys) { return simulated({.decoding = sequences, .cached = keys}); };
  if (cached <= least_cached) return at(least_cached);
  // What does not fit the memory is not compiled to find that out.
  const std::int64_t fits = room_ / sequences / least_cached * least_cached;
  const std::int64_t longest = room_ > 0 ? std::min(longest_, std::max(fits, 2 * least_cached)) : longest_;
  const auto most = most_keys_.find(sequences);
  std::int64_t keys = std::min(cached, most == most_keys_.end() ? longest : most->second);
  while (true) {
    const auto [below, above] = sizes_around(keys, longest);
    try {
      const StepCost last = at(above), first = at(below);
      return linear(cached, below, above, first, last);
    } catch (const sw::driver::OutOfMemory&) {
      if (below <= least_cached) throw;
      keys = most_keys_[sequences] = below;
    }
  }
}

StepCost StepPrograms::reading_cost(std::int64_t tokens, std::int64_t before) {
  const auto at = [&](std::int64_t keys) { return simulated({.prefill_tokens = tokens, .prefill_cached = keys}); };
  if (before == 0) return at(0);
  if (before <= least_cached) return at(least_cached);
  const auto [below, above] = sizes_around(before, longest_);
  return linear(before, below, above, at(below), at(above));
}

StepCost StepPrograms::cost(const StepShape& shape) {
  if (!tokens_) return simulated(shape);
  if (shape.prefill_tokens == 0) return decoding_cost(shape.decoding, shape.cached);
  if (shape.decoding == 0) return reading_cost(shape.prefill_tokens, shape.prefill_cached);
  StepCost sum =
      simulated({.decoding = shape.decoding, .cached = least_cached, .prefill_tokens = shape.prefill_tokens});
  sum += decoding_cost(shape.decoding, shape.cached);
  sum += decoding_cost(shape.decoding, least_cached) * -1;
  sum += reading_cost(shape.prefill_tokens, shape.prefill_cached);
  sum += reading_cost(shape.prefill_tokens, 0) * -1;
  return sum;
}

std::vector<report::serving::StepProgram> StepPrograms::programs() const {
  std::vector<report::serving::StepProgram> programs;
  for (const auto& [shape, program] : known_) programs.push_back(program);
  return programs;
}

}  // namespace podsim::app::serve
