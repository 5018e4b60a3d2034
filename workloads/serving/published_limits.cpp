// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/published_limits.h"

#include <algorithm>
#include <vector>

namespace podsim::workloads::serving {

std::span<const PublishedLimit> published_limits() {
  static const std::string source = "mlcommons/inference mlperf.conf@2694f25";
  static const std::vector<PublishedLimit> limits{
      {"resnet50", "ResNet-50 v1.5, 224x224", 0.015, 0.99, source, 0},
      {"bert_large", "BERT-large SQuAD, 384 tokens", 0.130, 0.99, source, 384},
      {"dlrm", "DLRM v1", 0.030, 0.99, source, 0},
  };
  return limits;
}

std::optional<PublishedLimit> published_limit(std::string_view workload) {
  const auto limits = published_limits();
  const auto found = std::ranges::find(limits, workload, &PublishedLimit::workload);
  if (found == limits.end()) return std::nullopt;
  return *found;
}

}  // namespace podsim::workloads::serving
