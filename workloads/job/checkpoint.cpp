// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/checkpoint.h"

#include <algorithm>

namespace podsim::workloads::job {

Checkpoint checkpoint(std::span<const StateArray> arrays, const StatePlaces& places) {
  Checkpoint result;
  const std::int64_t host_cores = std::min(places.host_chips, places.chips) * places.cores_per_chip;
  base::Bytes of_cores;  // of a chip
  for (const StateArray& array : arrays) {
    result.state += array.whole;
    result.host += std::min(array.whole, array.of_core * host_cores);
    result.chip += std::min(array.whole, array.of_core * places.cores_per_chip);
    of_cores += array.of_core * places.cores_per_chip;
  }
  result.to_host = base::Duration(double(result.chip.value()) / places.pcie_rate.si());
  result.to_storage = base::Duration(double(result.host.value()) / places.storage_rate.si());
  result.from_storage = result.to_storage;
  result.to_device = base::Duration(double(of_cores.value()) / places.pcie_rate.si());
  return result;
}

}  // namespace podsim::workloads::job
