// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

#include "hw/memory/dma_copy.h"
#include "hw/memory/memory_payload.h"
#include "noc/on_chip_switch.h"

/// Requests of a DMA engine on the on-chip switch: a payload with MemoryExtension for an HBM half, SwitchRoute for the
/// switch, and this for the other ports. It carries no data.
namespace podsim::hw {

struct DmaRequestExtension : tlm::tlm_extension<DmaRequestExtension> {
  tlm::tlm_extension_base* clone() const override { return new DmaRequestExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const DmaRequestExtension&>(other);
  }

  std::optional<FarPort> far = {};       ///< a port of the inter-chip interconnect: where on
  std::optional<std::size_t> flag = {};  ///< a core's port: a sync flag that goes up by one; the request has no data
};

inline DmaRequestExtension& dma_request(tlm::tlm_generic_payload& payload) {
  return *payload.get_extension<DmaRequestExtension>();
}

/// Payloads with all three extensions, reused. A payload's MemoryExtension tag numbers it.
class DmaRequestPool : public tlm::tlm_mm_interface {
 public:
  DmaRequestPool() = default;
  DmaRequestPool(const DmaRequestPool&) = delete;
  DmaRequestPool& operator=(const DmaRequestPool&) = delete;

  /// One reference is held by the caller.
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
    noc::SwitchRoute route;
    DmaRequestExtension request;
    tlm::tlm_generic_payload payload;
  };
  std::deque<Slot> slots_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace podsim::hw
