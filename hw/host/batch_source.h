// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace podsim::hw::host {

/// Where a chip's PCIe port (HostPort) finds the batches of its cores prepared. Batches are numbered from 0 for each
/// core; batch n of all cores is one batch of the input pipeline.
class BatchSource : public sc_core::sc_interface {
 public:
  /// Announces a core that will take every batch. Only before the simulation starts.
  virtual void join() = 0;
  /// Number of batches that were prepared so far, those already taken included.
  virtual std::int64_t prepared() const = 0;
  /// Notified when prepared() has grown.
  virtual const sc_core::sc_event& batch_prepared() const = 0;
  /// A core's port has begun to move the last transfer of its next batch. The memory of a batch is free when all cores
  /// that joined have taken it.
  virtual void took() = 0;
};

}  // namespace podsim::hw::host
