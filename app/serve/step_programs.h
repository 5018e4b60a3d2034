// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/run/run_options.h"
#include "base/units.h"
#include "report/serving/serving_report.h"
#include "workloads/serving/step_times.h"

namespace podsim::app::serve {

/// Whether a workload has steps of a decoder (`podsim run --decode`): its requests have tokens. InputError if there is
/// no such workload.
bool has_tokens(const std::string& workload);

/// What a replica's slice is.
struct ReplicaSlice {
  std::string machine, slice;
  std::int64_t chips = 0, cores = 0;
};

/// Room for keys and values on a replica.
struct CacheRoom {
  std::int64_t tokens = 0;     ///< of all its sequences together
  double bytes_per_token = 0;  ///< of all its cores
};

/// Times of steps by programs that are compiled and simulated on the slice of a replica, each once:
///
///   samples   the forward program, its batch divided among the cores
///   tokens    a decoding step D(sequences, cached), a part of a prompt P(tokens, before), or both in one program M:
///   the
///             keys decode.* of `podsim run --decode`. Layers apart from attention have the tokens of both in the same
///             products; attention reads the cache of each sequence on its own, so that it adds up:
///
///     time = M(sequences, tokens) + D(sequences, cached) - D(sequences, 128) + P(tokens, before) - P(tokens, 0)
///
///             where M has 128 keys for each sequence, and its prompt begins.
///
/// Programs are made for 128, 512, 2048, ... keys. Between two of them the time is linear in the keys, since attention
/// reads so many more; so it is beyond the last one that fits the memory, where all sequences have as many as their
/// mean.
class StepPrograms {
 public:
  /// `overhead`: time on the host that each step takes before it begins. Without a mesh, a sharding and
  /// model.tensor_parallel, a decoder is divided over all cores of the slice (model.tensor_parallel). InputError if
  /// settings are those that the shapes of steps have.
  StepPrograms(const run::RunOptions& options, bool tokens, base::Duration overhead);

  const ReplicaSlice& slice() const { return slice_; }
  /// The tokens of the longest sequence, for which a model has positions unless model.sequence is set.
  void limit_tokens(std::int64_t longest) { longest_ = longest; }
  /// What remains of the memory of the cores for the cache, with the program of so many sequences.
  CacheRoom cache_room(std::int64_t sequences);

  /// Of a step, overhead included.
  double seconds(const workloads::serving::StepShape& shape);
  /// Those that were simulated.
  std::vector<report::serving::StepProgram> programs() const;

 private:
  run::RunOptions options_for(const workloads::serving::StepShape& shape) const;
  double simulated(const workloads::serving::StepShape& shape);
  double decoding(std::int64_t sequences, std::int64_t cached);
  double reading(std::int64_t tokens, std::int64_t before);

  run::RunOptions options_;
  bool tokens_;
  base::Duration overhead_;
  ReplicaSlice slice_;
  std::int64_t longest_ = 1;
  std::map<workloads::serving::StepShape, report::serving::StepProgram> known_;
  std::map<std::int64_t, std::int64_t> most_cached_;  ///< that fit the memory, by sequences; others are not known yet
};

}  // namespace podsim::app::serve
