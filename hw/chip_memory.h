// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <tlm>

#include "hw/hbm_stream.h"
#include "hw/host_port.h"
#include "hw/trace.h"

namespace podsim::hw {

/// How much of the HBM is modelled.
enum class MemoryDetail {
  stream,  ///< each half as two streams at sustained rates (Hbm)
  bank     ///< granules, the on-chip switch, channels and their banks (BankMemory)
};

/// What stands behind the DMA engines of a chip's cores.
class ChipMemory : public sc_core::sc_module {
 public:
  using sc_core::sc_module::sc_module;

  /// Where a core's DMA engine is bound to; protocol in stream_payload.h.
  virtual tlm::tlm_target_socket<>& from_dma(int core) = 0;
  /// Between a core and its half so far.
  virtual base::Bytes moved(int core, Direction direction) const = 0;
};

/// `trace` is the chip's: a core's half is shown below the core. `host` outlives the memory.
std::unique_ptr<ChipMemory> make_chip_memory(sc_core::sc_module_name name, MemoryDetail detail, const Machine& machine,
                                             HostPort& host, const Trace& trace);

}  // namespace podsim::hw
