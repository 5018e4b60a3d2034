// SPDX-License-Identifier: Apache-2.0
#include "workloads/global_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"

namespace podsim::workloads {

void add_batch_key(ModelKeys& keys, std::int64_t& field) {
  keys.add("model.batch", field, 0, 1 << 24, "samples of all cores together; 0: the batch per core for each");
}

std::int64_t global_batch(const WorkloadOptions& options, std::int64_t batch, std::int64_t default_per_core) {
  if (options.batch_per_core && options.model.contains("model.batch")) {
    throw base::InputError("both a batch per core and a batch of all cores are given", "leave out one of them");
  }
  if (options.batch_per_core) return *options.batch_per_core * options.replicas;
  return batch > 0 ? batch : default_per_core * options.replicas;
}

std::int64_t norm_groups(std::int64_t cores, std::int64_t replicas, std::int64_t batch) {
  const std::int64_t group = cores == 0 ? replicas : std::min(cores, replicas);
  if (replicas % group != 0 || batch % (replicas / group) != 0) {
    throw base::InputError(fmt::format("{} images on {} cores have no equal groups of {} cores with common statistics",
                                       batch, replicas, group),
                           "model.bn_group=0 has one group");
  }
  return replicas / group;
}

}  // namespace podsim::workloads
