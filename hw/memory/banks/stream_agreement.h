// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/access_pattern.h"
#include "hw/direction.h"
#include "hw/machine.h"

/// Compares the tile level's streams (HbmStream) with the banks (BankStream) on the same descriptors.
namespace podsim::hw::memory::banks {

struct StreamRequest {
  Direction direction = Direction::read;
  base::Bytes bytes;
  AccessShape shape;
  base::Cycles arrival;  ///< not before an earlier request of the same direction
};

struct StreamComparison {
  std::vector<StreamRequest> requests;
  base::Cycles streams, banks;  ///< until the last request has completed

  double error() const { return double(streams.value()) / double(banks.value()) - 1; }
};

/// Traffic of one to eight random descriptors, as DMA engines make it: contiguous, rows with gaps, short rows, or rows
/// scattered over the memory; reads, writes or both; all at once or one after another. It lasts several refresh
/// intervals, so that their phase has little influence.
std::vector<StreamRequest> random_requests(std::uint64_t seed);

StreamComparison compare_streams(const Machine& machine, const std::vector<StreamRequest>& requests);

/// "read 2 MiB of 512 B / 4096 B + write 1 MiB"
std::string to_string(const std::vector<StreamRequest>& requests);

}  // namespace podsim::hw::memory::banks
