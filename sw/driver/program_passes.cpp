// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/program_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"
#include "base/text/counted.h"
#include "hlo/expanders/batch_norm.h"
#include "hlo/expanders/factorisations.h"
#include "hlo/expanders/symmetric_eigenvalues.h"
#include "hlo/weights/folded_weights.h"
#include "hlo/weights/typed_weights.h"
#include "hw/memory_levels.h"
#include "sw/compiler/host_batch.h"
#include "sw/compiler/lowering.h"
#include "sw/compiler/memory_classes.h"
#include "sw/compiler/placed_values.h"
#include "sw/compiler/recompute.h"
#include "sw/driver/compile.h"

namespace podsim::sw::driver {
namespace {

std::string largest_buffers(const std::vector<compiler::MemoryAccount::Buffer>& buffers) {
  std::string largest;
  for (const compiler::MemoryAccount::Buffer& buffer : buffers) {
    const std::string& name = buffer.op_name.empty() ? buffer.name : buffer.op_name;
    largest += fmt::format("{}{} {}", largest.empty() ? "" : ", ", name, base::to_string(buffer.bytes));
  }
  return "the largest buffers there: " + largest;
}

base::Diagnostic note(std::string text) { return {base::Diagnostic::Severity::note, std::move(text), {}, ""}; }

bool goes_on(const hlo::Instruction& instruction) {
  return hlo::is_collective(instruction.opcode) && instruction.phase == hlo::AsyncPhase::start;
}

/// A warning if cores do the same work, as where a batch has fewer samples than cores.
void warn_of_copies(Step& step) {
  constexpr double few = 1.5;
  const double copies = hlo::spmd::partition::total(step.partitioned->layers).copies();
  if (copies < few) return;
  const auto cores = double(step.partitioned->mesh.mesh.partitions());
  step.warnings.push_back(fmt::format(
      "work is replicated: {:.0f} cores do the products of the program {:.2f} times over, so that {:.3g} of them "
      "would do as much. More samples share it out, or a sharding that divides other dimensions (--sharding, "
      "model.tensor_parallel)",
      cores, copies, cores / copies));
}

/// The numbers of the network's parameters.
std::vector<std::int64_t> weights_of(const Compilation& compilation) {
  if (compilation.module.scheduled) {
    throw base::InputError(
        fmt::format("'{}' is scheduled, so its weights have the types of its text", compilation.name),
        "give --weights with the program before it was compiled");
  }
  if (!compilation.kinds) {
    throw base::InputError(fmt::format("nothing tells the weights of '{}' from its inputs", compilation.name),
                           "name them, as in --parameters 'w*,b*' or --parameters 0-5");
  }
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < compilation.kinds->size(); ++i) {
    if ((*compilation.kinds)[i] == hlo::transform::ArgumentKind::parameter) numbers.push_back(std::int64_t(i));
  }
  return numbers;
}

}  // namespace

void take_part(Compilation& compilation) {
  const Part part = compilation.choices.part;
  hlo::Module& module = compilation.module;
  const std::optional<NetworkFacts>& network = compilation.network;
  const bool is_step = !module.donations.empty();
  std::vector<hlo::InstructionId> results = hlo::transform::forward_results(module, module.donations);
  if (network || !results.empty()) {
    compilation.kinds = hlo::transform::argument_kinds(module, module.donations, results,
                                                       network ? network->frozen : std::vector<std::int64_t>{});
  }
  if (network && network->decodes) {
    for (const hlo::Donation& donation : module.donations) {
      (*compilation.kinds)[std::size_t(donation.parameter)] = hlo::transform::ArgumentKind::cache;
    }
  }
  if (compilation.parameters) {
    compilation.kinds.emplace(module.entry_computation().parameters.size(), hlo::transform::ArgumentKind::input);
    for (const std::int64_t number : *compilation.parameters) {
      (*compilation.kinds)[std::size_t(number)] = hlo::transform::ArgumentKind::parameter;
    }
  }
  if (part == Part::inference && !network) {
    compilation.step.warnings.emplace_back(
        is_step
            ? "--inference: a step out of a file runs up to its loss, the outputs that replace no parameter"
            : "--inference: no output replaces a parameter, so the program runs as it is, up to a loss if it has one");
  }
  if (part == Part::step || (part == Part::inference && !is_step)) return;
  if (part == Part::inference && network && !network->predictions.empty()) results = network->predictions;
  if (results.empty()) {
    throw base::InputError(fmt::format("nothing tells what an evaluation of '{}' computes", compilation.name),
                           "the outputs of a step that replace no parameter are its loss: input_output_alias");
  }
  hlo::transform::ForwardPart forward = hlo::transform::forward_part(std::move(module), results);
  module = std::move(forward.module);
  module.donations.clear();
  if (!compilation.kinds) return;
  std::vector<hlo::transform::ArgumentKind> kept;
  for (const std::int64_t number : forward.parameters) kept.push_back((*compilation.kinds)[std::size_t(number)]);
  compilation.kinds = std::move(kept);
}

void fold_weights(Compilation& compilation) {
  hlo::expanders::expand_batch_norms(compilation.module);
  hlo::weights::FoldedWeights folded =
      hlo::weights::with_folded_weights(std::move(compilation.module), weights_of(compilation));
  compilation.module = std::move(folded.module);
  std::vector<hlo::transform::ArgumentKind> kinds;
  for (const std::int64_t number : folded.parameters) {
    kinds.push_back(number < 0 ? hlo::transform::ArgumentKind::parameter : (*compilation.kinds)[std::size_t(number)]);
  }
  compilation.kinds = std::move(kinds);
}

namespace {

/// Says which weights have no groups, if they were asked for.
void check_groups(Compilation& compilation, const std::vector<hlo::weights::TypedWeight>& weights) {
  const std::int64_t group = compilation.choices.weights->group;
  if (group == 0) return;
  std::int64_t grouped = 0, whole = 0;
  for (const hlo::weights::TypedWeight& weight : weights) {
    if (weight.scales >= 0) ++(weight.group > 0 ? grouped : whole);
  }
  if (grouped == 0) {
    throw base::InputError(fmt::format("groups of {} divide no weight of '{}'", group, compilation.name),
                           "a group is a number of inputs of a product");
  }
  if (whole > 0) {
    compilation.step.warnings.push_back(fmt::format(
        "{} of {} weights with scales have none for groups of {}, which do not divide them or are looked up", whole,
        grouped + whole, group));
  }
}

}  // namespace

void type_weights(Compilation& compilation) {
  hlo::weights::TypedWeights typed = hlo::weights::with_typed_weights(
      std::move(compilation.module), weights_of(compilation), *compilation.choices.weights);
  compilation.module = std::move(typed.module);
  check_groups(compilation, typed.weights);
  compilation.kinds->resize(compilation.module.entry_computation().parameters.size(),
                            hlo::transform::ArgumentKind::parameter);
}

void expand_factorisations(Compilation& compilation) {
  const auto has_price = [&](const hlo::Instruction& call) { return compilation.choices.prices.knows(call); };
  bool has_sweeps = false;
  for (const hlo::Computation& computation : compilation.module.computations) {
    has_sweeps = has_sweeps || std::ranges::any_of(computation.instructions, [&](const hlo::Instruction& call) {
                   return hlo::expanders::is_eigenvalue_call(computation, call) && !has_price(call);
                 });
  }
  if (has_sweeps) {
    compilation.step.warnings.emplace_back(
        "how many sweeps Eigh takes depends on its matrices: 1 + log2 n are assumed, as for random ones");
  }
  hlo::expanders::expand_factorisations(compilation.module, has_price);
}

void recompute(Compilation& compilation) {
  const TargetMachine& machine = compilation.machine();
  const std::vector<hlo::Donation> donations = compilation.module.donations;
  compiler::RecomputedModule result = compiler::recompute_to_fit(
      std::move(compilation.module), machine.memory_before_recomputing(), machine.hbm.usable_per_core(), donations);
  compilation.module = std::move(result.module);
  compilation.repeated_ops = result.ops;
  hlo::transform::RematerialisationTrial& trial = compilation.step.rematerialised;
  using enum hlo::transform::Rematerialisation;
  if (result.ops > 0 && trial.policy == none) trial.policy = ops;
  const auto cores = compilation.step.partitioned ? compilation.step.partitioned->mesh.mesh.partitions() : 1;
  trial.flops += result.flops * double(cores);
}

void overlap(Compilation& compilation) {
  std::vector<std::string>& warnings = compilation.step.warnings;
  if (compilation.module.scheduled) {
    warnings.emplace_back("--overlap: the program is scheduled, its collectives stay where they are");
    return;
  }
  const std::vector<hlo::Donation> donations = compilation.module.donations;
  compilation.module = compiler::overlap_collectives(std::move(compilation.module), compilation.machine(), donations,
                                                     compilation.choices.op_cache);
  const bool any = std::ranges::any_of(compilation.module.computations, [&](const hlo::Computation& computation) {
    return std::ranges::any_of(computation.instructions, goes_on);
  });
  if (!any) warnings.emplace_back("--overlap: no collective can overlap with other work");
}

void place_values(Compilation& compilation) {
  if (compilation.module.scheduled && compilation.machine().compiler.vmem_for_values > base::Bytes(0)) {
    compilation.step.warnings.emplace_back(
        "compiler.vmem_for_values: the program is scheduled, what it has in VMEM stays");
  }
  const std::vector<hlo::Donation> donations = compilation.module.donations;
  compilation.module = compiler::place_values(std::move(compilation.module), compilation.machine(), donations);
}

void account(Compilation& compilation) {
  Step& step = compilation.step;
  const hlo::Module& module = compilation.module;
  const int memories = hw::level::first_declared + int(compilation.machine().levels.size());
  step.memory = compiler::account_memory(module, module.donations, memories);
  if (compilation.kinds) step.memory.kinds = compiler::argument_memory(module, *compilation.kinds, step.memory.unread);
  step.memory.classes =
      compiler::memory_classes(module, module.donations, compilation.kinds, step.memory.peak_position);
  step.batch = compiler::batch_bytes(module, module.donations);
  const std::vector<base::Bytes> parts = compiler::state_bytes(module, module.donations);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    step.state.push_back({std::max(compilation.whole_state[i], parts[i]), parts[i]});
  }
  if (step.partitioned) {
    warn_of_copies(step);
    return;
  }
  using enum hlo::transform::Rematerialisation;
  if (compilation.policy != none) {
    step.warnings.push_back(
        fmt::format("forward values are computed again in the backward part ({}), so that the step "
                    "needs less memory",
                    hlo::transform::to_string(compilation.policy)));
  }
  if (compilation.repeated_ops > 0) {
    step.warnings.push_back(fmt::format("{} run once more, so that the step needs less memory",
                                        base::text::counted(compilation.repeated_ops, "op")));
  }
}

void require_memory(const Compilation& compilation) {
  const compiler::MemoryAccount& memory = compilation.step.memory;
  const TargetMachine& machine = compilation.machine();
  const std::vector<hw::MemoryLevel> levels = hw::memory_levels(machine);
  for (const compiler::MemoryAccount::Level& used : memory.levels) {
    const hw::MemoryLevel& level = levels[std::size_t(used.number)];
    if (used.peak <= level.capacity) continue;
    throw OutOfMemory(fmt::format("out of memory: {} needs {} of {} per core at its peak (at {}), a {} core has {}",
                                  compilation.name, base::to_string(used.peak), level.name,
                                  compilation.module.entry_computation()[used.peak_position].name, machine.name,
                                  base::to_string(level.capacity)),
                      largest_buffers(used.largest_at_peak));
  }
  if (memory.heap <= machine.hbm.usable_per_core()) return;
  const std::string needs = fmt::format(
      "out of memory: {} needs {} of HBM per core at its peak (at {}), a {} core has {} of {} for "
      "programs",
      compilation.name, base::to_string(memory.heap), compilation.module.entry_computation()[memory.peak_position].name,
      machine.name, base::to_string(machine.hbm.usable_per_core()), base::to_string(machine.hbm.capacity_per_core));
  throw OutOfMemory({{base::Diagnostic::Severity::error, needs, {}, ""},
                     note("what is live there: " + compiler::to_string(*memory.classes)),
                     note(largest_buffers(memory.largest_at_peak))});
}

void lower(Compilation& compilation) {
  Step& step = compilation.step;
  const Choices& choices = compilation.choices;
  step.program = compiler::lower(compilation.module, compilation.machine(), choices.op_cache, choices.prices);
  step.warnings.insert(step.warnings.end(), step.program.warnings.begin(), step.program.warnings.end());
}

}  // namespace podsim::sw::driver
