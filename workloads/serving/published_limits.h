// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace podsim::workloads::serving {

/// MLPerf's limit of the scenario Server for a model that is a built-in workload. Others of its models are not the same
/// network here: SSD has smaller images, GNMT's forward part does not search.
struct PublishedLimit {
  std::string workload;      ///< name of a built-in workload
  std::string model;         ///< of MLPerf
  double latency_s = 0;      ///< of a query
  double percentile = 0.99;  ///< of queries that are within it
  std::string source;
  std::int64_t sequence = 0;  ///< tokens of its samples; 0: they have none
};

std::span<const PublishedLimit> published_limits();
/// std::nullopt for a workload without one.
std::optional<PublishedLimit> published_limit(std::string_view workload);

}  // namespace podsim::workloads::serving
