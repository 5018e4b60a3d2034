// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

#include "hw/memory/banks/dma_copy.h"
#include "hw/memory/banks/memory_payload.h"
#include "noc/chip_switch/on_chip_switch.h"

/// The protocol of a DMA engine's requests on the on-chip switch. Each payload carries a MemoryExtension for HBM
/// halves, a SwitchRoute for the switch, and a DmaRequestExtension for the other ports. It carries no data.
namespace podsim::hw::memory::banks {

struct DmaRequestExtension : tlm::tlm_extension<DmaRequestExtension> {
  tlm::tlm_extension_base* clone() const override { return new DmaRequestExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const DmaRequestExtension&>(other);
  }

  std::optional<RemotePort> far = {};    ///< destination, at a port of the inter-chip interconnect
  std::optional<std::size_t> flag = {};  ///< sync flag to increment, at a core's port; such a request has no data
};

inline DmaRequestExtension& dma_request(tlm::tlm_generic_payload& payload) {
  return *payload.get_extension<DmaRequestExtension>();
}

/// A pool of payloads with all three extensions. The tag in a payload's MemoryExtension is its number in the pool.
class DmaRequestPool : public tlm::tlm_mm_interface {
 public:
  DmaRequestPool() = default;
  DmaRequestPool(const DmaRequestPool&) = delete;
  DmaRequestPool& operator=(const DmaRequestPool&) = delete;

  /// The caller holds one reference.
  tlm::tlm_generic_payload& make(tlm::tlm_command command, const DmaPort& port, std::uint64_t address,
                                 base::Bytes bytes, std::optional<std::size_t> flag = {});
  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(payload); }
  static std::size_t number(tlm::tlm_generic_payload& payload) { return memory_extension(payload).tag; }

 private:
  struct Slot {
    explicit Slot(DmaRequestPool* pool);
    ~Slot();
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    MemoryExtension memory;
    noc::chip_switch::SwitchRoute route;
    DmaRequestExtension request;
    tlm::tlm_generic_payload payload;
  };
  std::deque<Slot> slots_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace podsim::hw::memory::banks
