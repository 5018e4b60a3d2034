// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "validation/measured/published/row_words.h"

namespace podsim::validation::measured::published {
namespace {

struct Submission {
  std::int64_t version = 0;  ///< 6 of 0.6; 0 if the source is none
  std::int64_t cores = 0;
};

Submission submission_of(const PublishedStep& step) {
  return {.version = number_after(step.source, "MLPERF v0.").value_or(0),
          .cores = number_after(step.source, "tpu-v3-").value_or(0)};
}

bool sums_in_f32(const PublishedStep& step, const Submission& submission) {
  if (submission.version == 7) return step.network.starts_with("bert_large") && submission.cores == 32;
  if (step.network.starts_with("transformer_big_mlperf")) return submission.cores >= 128;
  constexpr std::array wide = {"resnet50", "ssd_resnet34", "mask_rcnn", "gnmt"};
  return std::ranges::any_of(wide, [&](const char* name) { return step.network.starts_with(name); });
}

/// Cores whose images make up the statistics of a batch norm of SSD in version 0.6.
std::int64_t ssd_norm_group(std::int64_t cores) {
  if (cores < 128) return 2;
  if (cores < 256) return 8;
  if (cores < 1024) return 16;
  constexpr std::int64_t share_an_image = 4;
  return (cores < 2048 ? 8 : 16) * share_an_image;
}

}  // namespace

std::vector<std::string> submitted_settings(const PublishedStep& step) {
  const Submission submission = submission_of(step);
  std::vector<std::string> settings;
  const bool says_f32 = step.partitioning.find("f32 gradients") != std::string::npos;
  if (says_f32 || (submission.version > 0 && sums_in_f32(step, submission))) {
    settings.emplace_back("model.gradient_type=f32");
  }
  if (submission.version == 6 && step.network.starts_with("ssd_resnet34")) {
    settings.push_back(fmt::format("model.bn_group={}", ssd_norm_group(submission.cores)));
  }
  return settings;
}

}  // namespace podsim::validation::measured::published
