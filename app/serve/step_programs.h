// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/run/run_options.h"
#include "base/units.h"
#include "report/serving/serving_report.h"
#include "sw/compiler/memory_account.h"
#include "workloads/serving/expert_load.h"
#include "workloads/serving/step_times.h"

namespace podsim::app::serve {

/// Whether a workload has steps that decode and read a part of a prompt (`podsim run --decode` with decode.prefill):
/// its requests have tokens.
bool has_tokens(const std::string& workload);

/// Bytes of a core's memory with the program that decodes.
struct MemoryUse {
  double per_token = 0;            ///< keys and values
  double peak = 0, arguments = 0;  ///< without them
};

/// What a replica's slice is.
struct ReplicaSlice {
  std::string machine, slice;
  std::int64_t chips = 0, cores = 0;
  double idle_watts = 0;  ///< of all its chips in no step
};

/// Room for keys and values on a replica.
struct CacheRoom {
  std::int64_t tokens = 0;     ///< of all its sequences together
  double bytes_per_token = 0;  ///< of all its cores
};

/// Times of steps by programs that are compiled and simulated on the slice of a replica, each once:
///
///   samples   the forward program, its batch divided among the cores
///   tokens    a decoding step, a part of a prompt, or both in one program: the keys decode.* of `podsim run --decode`
///
/// Programs are made for 128, 512, 2048, ... keys in the cache and for the longest sequence. Between two of them the
/// time is linear in the keys, and so are joules and shares, since attention reads so many more: in those of the
/// sequences, or in those before the prompt's part. So it is beyond the last program that fits the memory, where all
/// sequences have as many as their mean.
///
/// A step that decodes and reads a prompt has a program for the fewest keys. Both attentions of such a program are ops
/// of their own, which take turns on the core, so more keys add what they add to a program that decodes alone, or reads
/// alone.
class StepPrograms {
 public:
  /// `overhead`: time on the host that each step takes before it begins. Without a mesh, a sharding and
  /// model.tensor_parallel, a decoder is divided over all cores of the slice (model.tensor_parallel). InputError if
  /// settings are those that the shapes of steps have, or of a decoder with an encoder or a window: of the flag that
  /// gives the model's settings.
  StepPrograms(const run::RunOptions& options, bool tokens, base::Duration overhead, std::string flag = "--set");

  const ReplicaSlice& slice() const { return slice_; }
  /// model.sequence; 0: the workload has none.
  std::int64_t sequence() const { return whole_setting("model.sequence"); }
  /// Tokens for which the model has trained positions: model.sequence; 0: it has none.
  std::int64_t positions() const;
  /// The tokens of the longest sequence, for which programs have positions.
  void limit_tokens(std::int64_t longest) { longest_ = longest; }
  /// Tokens that the model knows; 0: the workload has none.
  std::int64_t vocabulary() const { return whole_setting("model.vocabulary"); }
  /// Steps that decode check so many drafted tokens of each sequence, and make one more.
  void check_drafts(std::int64_t tokens) { new_tokens_ = tokens + 1; }
  /// Each expert of a program has slots for as many tokens as the busiest one gets of those of the step. InputError for
  /// a model without experts, or with slots that are given.
  void skew_experts(double skew, std::uint64_t seed);
  /// That of the program of so many sequences.
  MemoryUse memory_use(std::int64_t sequences);
  /// What remains of the memory of the cores for the cache, with the program of so many sequences. `draft` is another
  /// model on the same cores: its arguments stay while a program of this one runs.
  CacheRoom cache_room(std::int64_t sequences, const MemoryUse& draft = {});

  /// What a step takes, overhead included, in which its chips are idle.
  workloads::serving::StepCost cost(const workloads::serving::StepShape& shape);
  /// Those that were simulated.
  std::vector<report::serving::StepProgram> programs() const;
  /// What the compiler and the simulations warn of: the first of warnings that differ in numbers alone.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  /// Memory of the program that decodes with so many keys.
  sw::compiler::MemoryAccount memory_with(std::int64_t sequences, std::int64_t cached);
  /// A setting of the model, or its default; "" without the key. InputError if it is not valid.
  std::string setting(const char* key) const;
  std::int64_t whole_setting(const char* key) const;
  /// InputError if a server has no steps for the model, or model.sequence is no number.
  void check_model() const;
  void add_warnings(const std::vector<std::string>& warnings);
  /// Has all tokens of a step compete for slots of experts, as many in each as the busiest one needs.
  void set_slots(workloads::ModelSettings& model, std::int64_t tokens) const;
  run::RunOptions options_for(const workloads::serving::StepShape& shape) const;
  workloads::serving::StepCost simulated(const workloads::serving::StepShape& shape);
  /// A step that decodes, by programs with numbers of keys around `cached`.
  workloads::serving::StepCost decoding_cost(std::int64_t sequences, std::int64_t cached);
  /// A step that reads a part of a prompt, by programs with numbers of keys around the `before` it.
  workloads::serving::StepCost reading_cost(std::int64_t tokens, std::int64_t before);

  run::RunOptions options_;
  bool tokens_;
  base::Duration overhead_;
  std::string flag_;  ///< of the model's settings
  ReplicaSlice slice_;
  std::int64_t new_tokens_ = 1;                           ///< of each sequence in a step that decodes
  std::optional<workloads::serving::ExpertLaw> experts_;  ///< std::nullopt: slots as the model has them
  std::int64_t longest_ = 1;
  std::int64_t room_ = 0;  ///< tokens, once cache_room() has found it
  std::vector<std::string> warnings_;
  std::set<std::string> warned_;  ///< without their numbers
  std::map<workloads::serving::StepShape, report::serving::StepProgram> known_;
  std::map<std::int64_t, std::int64_t> most_keys_;  ///< that fit the memory, by sequences
};

}  // namespace podsim::app::serve
