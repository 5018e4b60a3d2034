// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/serve/serve_options.h"
#include "app/serve/step_programs.h"
#include "report/serving/serving_report.h"
#include "workloads/serving/step_times.h"

namespace podsim::app::serve {

/// The steps of a replica: those of its model, and of the model that drafts tokens for it (--draft). Both are on all
/// cores of the slice, and run one after another:
///
///   step       K programs of the draft with a token of each sequence, and one of the model that checks them
///              (decode.new_tokens = K + 1, decode.all_next)
///   prompts    are read by both: a part of a prompt is in the first program of the draft, and in that of the model
///   memory     holds the weights of both, and both caches
class ReplicaSteps {
 public:
  /// InputError for a draft that makes no tokens, or others than the model.
  ReplicaSteps(const ServeOptions& options, bool tokens);

  const ReplicaSlice& slice() const { return model_.slice(); }
  std::int64_t positions() const { return model_.positions(); }
  /// positions() of the model that drafts tokens; 0: it has none, or there is no such model.
  std::int64_t draft_positions() const { return draft_ ? draft_->positions() : 0; }
  void limit_tokens(std::int64_t longest);
  CacheRoom cache_room(std::int64_t sequences);
  workloads::serving::StepCost cost(const workloads::serving::StepShape& shape);
  /// Those of the model first.
  std::vector<report::serving::StepProgram> programs() const;
  std::vector<std::string> warnings() const;

 private:
  StepPrograms model_;
  std::optional<StepPrograms> draft_;
  std::int64_t draft_tokens_;
};

}  // namespace podsim::app::serve
