// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <tlm>
#include <vector>

#include "hw/memory/memory_request.h"

/// A memory request on its way between whoever moves data and one core's half of the HBM (BankHbm), and how it rides on
/// TLM-2.0: a generic payload with
///  - command and address, a byte address within the half;
///  - data length, at most one interleave unit and within one (AddressMap::in_one_unit);
///  - data pointer: null, or 32-bit words that the HBM reads or writes, then address and length are multiples of 4;
///  - this extension.
/// Non-blocking, any number outstanding, answered in any order:
///  - BEGIN_REQ from the sender, at the first edge of the memory's clock after the annotated delay; END_REQ comes back
///    when the channel's queue has taken it, at once as the answer to the call or later through the backward path. That
///    is the back-pressure. It holds per channel: a sender has at most one request without END_REQ per channel and
///    socket (AddressMap::channel_of), where the base protocol would have one per socket.
///  - BEGIN_RESP from the HBM when the last data have moved; the answer to the call is TLM_COMPLETED.
///  - A request that no channel can take is answered at once: TLM_COMPLETED with TLM_ADDRESS_ERROR_RESPONSE beyond the
///    capacity, TLM_BURST_ERROR_RESPONSE when it is not within one unit, or not of whole words where it has data.
/// Data take effect in the order of END_REQ, as with a controller that forwards from its write queue. What a read finds
/// is the sender's to look at from BEGIN_RESP on.
namespace podsim::hw {

struct MemoryExtension : tlm::tlm_extension<MemoryExtension> {
  tlm::tlm_extension_base* clone() const override { return new MemoryExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const MemoryExtension&>(other); }

  std::uint64_t tag = 0;  ///< the sender's own
};

/// Payloads with their extension, reused; they return to the pool with the last release().
class MemoryPayloadPool : public tlm::tlm_mm_interface {
 public:
  MemoryPayloadPool() = default;
  MemoryPayloadPool(const MemoryPayloadPool&) = delete;
  MemoryPayloadPool& operator=(const MemoryPayloadPool&) = delete;

  /// One reference is held by the caller. `words` may be null.
  tlm::tlm_generic_payload& make(const MemoryRequest& request, std::uint32_t* words);
  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(payload); }

 private:
  struct Slot {
    explicit Slot(MemoryPayloadPool* pool) : payload(pool) { payload.set_extension(&extension); }
    ~Slot() { payload.clear_extension(&extension); }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    MemoryExtension extension;
    tlm::tlm_generic_payload payload;
  };
  std::deque<Slot> slots_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

inline MemoryExtension& memory_extension(tlm::tlm_generic_payload& payload) {
  return *payload.get_extension<MemoryExtension>();
}

}  // namespace podsim::hw
