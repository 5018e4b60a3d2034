// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"

namespace podsim::workloads::job {

/// An array that steps keep, such as weights or momenta.
struct StateArray {
  base::Bytes whole;    ///< of the job, once
  base::Bytes of_core;  ///< the part that each core has; equal to `whole` where all have the same
};

/// Where the state is, and how it leaves.
struct StatePlaces {
  std::int64_t chips = 1, cores_per_chip = 1;
  std::int64_t host_chips = 1;   ///< chips of a host
  base::Bandwidth pcie_rate;     ///< of a chip
  base::Bandwidth storage_rate;  ///< of a host
};

/// What is saved of a job, each part once, and brought back.
///
/// The cores of n chips have n * cores * part bytes of an array, or all of it if that is less. The first chip saves
/// what it has, the first host what its chips have; parts that others have too are theirs alone. So the first host has
/// most to write, all of an array that every core has.
///
///   to_host     bytes of the first chip / pcie_rate, from the devices
///   to_storage  bytes of the first host / storage_rate
///   from_storage  what a host's cores need, each part once / storage_rate: as much on every host, at the same time
///   to_device   bytes of all arrays of a chip's cores / pcie_rate
struct Checkpoint {
  base::Bytes state;  ///< of the job
  base::Bytes host;   ///< of the first host
  base::Bytes chip;   ///< of the first chip
  base::Duration to_host, to_storage, from_storage, to_device;
};

Checkpoint checkpoint(std::span<const StateArray> arrays, const StatePlaces& places);

}  // namespace podsim::workloads::job
