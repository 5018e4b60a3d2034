// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

#include "base/units.h"
#include "hw/direction.h"

namespace podsim::hw::memory {

/// Level of detail of the HBM model.
enum class MemoryDetail {
  stream,  ///< each half as two streams at sustained rates (Hbm)
  bank     ///< granules, the on-chip switch, channels and their banks (BankMemory)
};

/// The memory behind the DMA engines of a chip's cores: StreamMemory or BankMemory. The same core runs over both.
class ChipMemory : public sc_core::sc_module {
 public:
  using sc_core::sc_module::sc_module;

  /// Socket for the DMA engine of `core`; protocol in stream_payload.h.
  virtual tlm::tlm_target_socket<>& from_dma(int core) = 0;
  /// Whether it can move the transfers of other chips and cores to and from a half, concurrently with the requests of
  /// the half's core.
  virtual bool shares_halves() const = 0;
  /// Moves such a transfer from `begin` on, not before now nor before earlier ones.
  virtual void move_beside(int core, Direction direction, base::Bytes bytes, base::Time begin) = 0;
  /// Takes back the part of such transfers that has not moved.
  virtual void stop_beside(int core) = 0;
  /// Bytes moved so far between `core` and its half.
  virtual base::Bytes moved(int core, Direction direction) const = 0;
};

}  // namespace podsim::hw::memory
