// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/compile.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/host/free_memory.h"
#include "hlo/build/verify.h"
#include "sw/compiler/host_batch.h"
#include "sw/compiler/memory_spaces.h"
#include "sw/driver/passes.h"
#include "sw/driver/program_passes.h"

namespace podsim::sw::driver {
namespace {

using hlo::transform::Rematerialisation;

#ifdef NDEBUG
constexpr bool verifies = false;
#else
constexpr bool verifies = true;
#endif

bool is_sound(const hlo::Module& module) {
  try {
    hlo::build::verify(module);
  } catch (const std::logic_error&) {
    return false;
  }
  return true;
}

class Driver {
 public:
  Driver(Program program, const Target& target, const Choices& choices)
      : compilation_{.target = target,
                     .choices = choices,
                     .name = std::move(program.name),
                     .network = std::move(program.network),
                     .parameters = std::move(program.parameters),
                     .kinds = {},
                     .module = std::move(program.module),
                     .step = {}},
        is_sound_(verifies && is_sound(compilation_.module)) {}

  Step run() && {
    compiler::require_memories(compilation_.module, compilation_.machine());
    if (run(whole_passes())) {
      add_whole_state();
      if (run_to_fit()) run(lowering_passes());
    }
    compilation_.step.module = std::move(compilation_.module);
    return std::move(compilation_.step);
  }

 private:
  /// False behind the last pass that is to run.
  bool run(std::span<const Pass> passes) {
    const Choices& choices = compilation_.choices;
    for (const Pass& pass : passes) {
      if (pass.wanted == nullptr || pass.wanted(compilation_)) {
        pass.run(compilation_);
        if (is_sound_) require_sound(pass);
        if (choices.after_pass) choices.after_pass(pass.name, compilation_.module);
      }
      if (pass.name == choices.last) return false;
    }
    return true;
  }

  void require_sound(const Pass& pass) const {
    try {
      hlo::build::verify(compilation_.module);
    } catch (const std::logic_error& error) {
      throw std::logic_error(fmt::format("behind the pass {}: {}", pass.name, error.what()));
    }
  }

  void add_whole_state() {
    compilation_.whole_state = compiler::state_bytes(compilation_.module, compilation_.module.donations);
    if (compilation_.choices.partition) return;
    // Each partition has a part of its own.
    for (base::Bytes& bytes : compilation_.whole_state) bytes = bytes * compilation_.module.partitions;
  }

  /// Runs the passes up to the fused module, for the first policy whose module fits, or for the last.
  bool run_to_fit() {
    constexpr std::array by_cost{Rematerialisation::none, Rematerialisation::dots, Rematerialisation::layer};
    const std::optional<Rematerialisation>& chosen = compilation_.choices.rematerialise;
    const std::span<const Rematerialisation> policies = chosen                          ? std::span(&*chosen, 1)
                                                        : compilation_.module.scheduled ? std::span(by_cost).first(1)
                                                                                        : std::span(by_cost);
    hlo::Module whole = std::move(compilation_.module);
    for (const Rematerialisation policy : policies) {
      compilation_.module = {};  // of the trial before
      base::host::return_free_memory();
      compilation_.policy = policy;
      compilation_.step.rematerialised = {policy, {}, 0};
      const bool is_last = policy == policies.back();
      compilation_.module = is_last ? std::move(whole) : whole;
      if (!run(partition_passes()) || !run(fusion_passes()) || !run(memory_passes())) return false;
      compilation_.step.rematerialised.peak = heap_of(compilation_.module);
      if (compilation_.step.rematerialised.peak <= compilation_.machine().hbm.usable_per_core()) break;
    }
    return true;
  }

  static base::Bytes heap_of(const hlo::Module& module) {
    return compiler::account_memory(module, module.donations).heap;
  }

  Compilation compilation_;
  bool is_sound_;  ///< shapes follow from operands in the program; those of a text need not
};

}  // namespace

Step compile(Program program, const Target& target, const Choices& choices) {
  return Driver(std::move(program), target, choices).run();
}

Step compile(hlo::Module module, const TargetMachine& machine, compiler::OpCache* cache) {
  Choices choices;
  choices.op_cache = cache;
  return compile({.name = module.name, .module = std::move(module)}, {.machine = machine}, choices);
}

hlo::Module module_after(std::string_view pass, Program program, const Target& target, Choices choices) {
  choices.last = pass;
  return compile(std::move(program), target, choices).module;
}

hlo::Module fused(hlo::Module module, const TargetMachine& machine, const CompilerYear& compiler) {
  Choices choices;
  choices.compiler = compiler;
  return module_after("fuse", {.name = module.name, .module = std::move(module)}, {.machine = machine},
                      std::move(choices));
}

}  // namespace podsim::sw::driver
