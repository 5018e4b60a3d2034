// SPDX-License-Identifier: Apache-2.0
#include "app/serve/slice_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "noc/slice.h"

namespace podsim::app::serve {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Whether the longer of two sizes, along dimensions in which a pod is as long, is not the first.
bool is_turned(const Sizes& sizes, const Sizes& pod) {
  for (std::size_t d = 1; d < sizes.size(); ++d) {
    if (pod[d - 1] == pod[d] && sizes[d - 1] < sizes[d]) return true;
  }
  return false;
}

/// All sizes up to those of the pod, one dimension after the other.
std::vector<Sizes> boxes_of(const Sizes& pod) {
  std::vector<Sizes> boxes{{}};
  for (const std::int64_t most : pod) {
    std::vector<Sizes> longer;
    for (const Sizes& box : boxes) {
      for (std::int64_t size = 1; size <= most; ++size) {
        longer.push_back(box);
        longer.back().push_back(size);
      }
    }
    boxes = std::move(longer);
  }
  return boxes;
}

}  // namespace

std::vector<WalkedSlice> slices_of_pod(const sw::TargetMachine& machine) {
  const noc::PodShape pod{machine.pod.dimensions, 1};
  std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> slices;  // chips, longest side, name
  for (const Sizes& sizes : boxes_of(pod.dimensions)) {
    if (is_turned(sizes, pod.dimensions) || !noc::slice_problem(pod, sizes).empty()) continue;
    std::int64_t chips = 1;
    for (const std::int64_t size : sizes) chips *= size;
    slices.emplace_back(chips, std::ranges::max(sizes), fmt::format("{}", fmt::join(sizes, "x")));
  }
  std::ranges::sort(slices);
  std::vector<WalkedSlice> walked;
  for (const auto& [chips, longest, name] : slices) walked.push_back({name, chips});
  return walked;
}

SliceBounds::SliceBounds(const ServeOptions& options, const sw::TargetMachine& machine)
    : memory_of_chip_(double(machine.hbm.usable_per_core().value()) * double(machine.cores_per_chip)),
      rate_of_chip_(machine.hbm.stream_rate.si() * double(machine.cores_per_chip)),
      tokens_of_step_(options.draft.empty() ? 1 : double(options.drafted() + 1)),
      weights_(weight_bytes(options.run)) {
  step_limit_ = options.level->ttft;
  if (options.level->latency)
    step_limit_ = std::min(step_limit_.value_or(*options.level->latency), *options.level->latency);
  // Answers of one token meet any limit of further ones.
  const bool all_have_more = options.lengths.empty() && options.trace.empty() && options.answer.value_or(2) > 1;
  if (all_have_more) token_limit_ = options.level->tpot;
}

double SliceBounds::least_step_s(std::int64_t chips) const {
  return double(weights_.read.value()) / (double(chips) * rate_of_chip_);
}

std::optional<std::string> SliceBounds::hopeless(std::int64_t chips) const {
  const double memory = double(chips) * memory_of_chip_, weights = double(weights_.all.value());
  if (weights > memory) {
    return fmt::format("the weights, {:.4g} GB, are more than its memory, {:.4g} GB", weights * 1e-9, memory * 1e-9);
  }
  const double step = least_step_s(chips);
  const bool too_slow =
      (step_limit_ && step >= *step_limit_) || (token_limit_ && step / tokens_of_step_ >= *token_limit_);
  if (!too_slow) return std::nullopt;
  return fmt::format("a step reads {:.4g} GB of weights, in {} at least", double(weights_.read.value()) * 1e-9,
                     base::to_string(base::Duration(step)));
}

}  // namespace podsim::app::serve
