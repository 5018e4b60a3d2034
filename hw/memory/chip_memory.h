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
  /// Moves `bytes` between a half and another chip or core, now, beside the requests of the half's own core, and
  /// returns whether any of those wait. A memory without contention between the two returns false.
  virtual bool move_beside(int core, Direction direction, base::Bytes bytes) = 0;
  /// Bytes moved so far between `core` and its half.
  virtual base::Bytes moved(int core, Direction direction) const = 0;
};

}  // namespace podsim::hw::memory
