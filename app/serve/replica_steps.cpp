// SPDX-License-Identifier: Apache-2.0
#include "app/serve/replica_steps.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "workloads/models/registry.h"

namespace podsim::app::serve {
namespace {

/// The draft has settings of its own; the compiler, the machine and the slice are those of the model.
run::RunOptions draft_options(const ServeOptions& options) {
  run::RunOptions draft = options.run;
  draft.workload = options.draft;
  draft.build.model = options.draft_settings;
  draft.partition = {};
  return draft;
}

std::vector<std::string> decoders() {
  std::vector<std::string> names;
  for (const workloads::WorkloadEntry& entry : workloads::models::workload_registry()) {
    if (has_tokens(entry.name)) names.push_back(entry.name);
  }
  return names;
}

}  // namespace

ReplicaSteps::ReplicaSteps(const ServeOptions& options, bool tokens)
    : model_(options.run, tokens, options.step_overhead), draft_tokens_(options.draft.empty() ? 0 : options.drafted()) {
  if (options.expert_skew) model_.skew_experts(*options.expert_skew, options.seed);
  if (options.draft.empty()) return;
  base::host::parse_choice("--draft", options.draft, "a decoder of Transformers", decoders());
  draft_.emplace(draft_options(options), tokens, options.step_overhead, "--draft-set");
  if (draft_->vocabulary() != model_.vocabulary()) {
    throw base::InputError(fmt::format("the draft has a vocabulary of {} tokens, the model of {}", draft_->vocabulary(),
                                       model_.vocabulary()),
                           fmt::format("--draft-set model.vocabulary={}", model_.vocabulary()));
  }
  model_.check_drafts(draft_tokens_);
}

void ReplicaSteps::limit_tokens(std::int64_t longest) {
  model_.limit_tokens(longest);
  if (draft_) draft_->limit_tokens(longest);
}

CacheRoom ReplicaSteps::cache_room(std::int64_t sequences) {
  if (!draft_) return model_.cache_room(sequences);
  return model_.cache_room(sequences, draft_->memory_use(sequences));
}

workloads::serving::StepCost ReplicaSteps::cost(const workloads::serving::StepShape& shape) {
  workloads::serving::StepCost cost = model_.cost(shape);
  if (!draft_) return cost;
  cost += draft_->cost(shape);
  if (shape.decoding == 0 || draft_tokens_ == 1) return cost;
  return cost += draft_->cost({.decoding = shape.decoding, .cached = shape.cached}) * double(draft_tokens_ - 1);
}

std::vector<report::serving::StepProgram> ReplicaSteps::programs() const {
  std::vector<report::serving::StepProgram> programs = model_.programs();
  if (!draft_) return programs;
  for (report::serving::StepProgram of : draft_->programs()) {
    of.drafts = true;
    programs.push_back(of);
  }
  return programs;
}

std::vector<std::string> ReplicaSteps::warnings() const {
  std::vector<std::string> warnings = model_.warnings();
  if (!draft_) return warnings;
  for (const std::string& warning : draft_->warnings()) warnings.push_back("draft: " + warning);
  return warnings;
}

}  // namespace podsim::app::serve
