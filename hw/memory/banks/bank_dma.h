// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <array>
#include <tlm>
#include <vector>

#include "hw/memory/banks/copy_dma.h"
#include "hw/memory/banks/memory_path.h"
#include "hw/memory/stream_payload.h"

namespace podsim::hw::memory::banks {

/// The data mover of a core's DMA engine at bank level.
///
/// Over from_engine it looks to a DmaEngine like an Hbm (protocol in stream_payload.h): such a transfer is between the
/// core and its own half, and starts so early that on an idle memory its data begin to move when the annotated delay is
/// over (MemoryPath).
class BankDma : public CopyDma {
 public:
  /// `own_memory` is the switch port of the core's half of the HBM.
  BankDma(sc_core::sc_module_name name, const Machine& machine, int own_memory, const Trace& trace);

  tlm_utils::passthrough_target_socket<BankDma> from_engine{"from_engine"};

  /// Bytes of transfers of from_engine answered so far.
  base::Bytes moved(Direction direction) const { return moved_[std::size_t(direction)]; }

 private:
  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void engine_completed(std::uint64_t tag) override;

  MemoryPath path_;
  int own_memory_;
  std::vector<tlm::tlm_generic_payload*> requests_;  ///< of transfers of from_engine, by tag
  std::vector<std::uint64_t> free_;                  ///< tags
  std::array<base::Bytes, 2> moved_;
};

}  // namespace podsim::hw::memory::banks
