// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <tlm>
#include <vector>

#include "hw/memory/dram/memory_request.h"

/// The protocol of memory requests at one core's half of the HBM (BankHbm). A request is a TLM-2.0 generic payload with
/// - command and address, a byte address within the half;
/// - data length, at most one interleave unit and within one (AddressMap::in_one_unit);
/// - data pointer: null, or 32-bit words that the HBM reads or writes, with address and length multiples of 4;
/// - a MemoryExtension.
/// Non-blocking, any number outstanding, answered in any order:
/// - The sender sends BEGIN_REQ, which counts from the first edge of the memory's clock that is not before the
///   annotated delay. END_REQ comes back when the channel's queue has taken the request, at once as the return value
///   or later over the backward path; withholding it is the back-pressure. This holds per channel: a sender has at
///   most one request without END_REQ per channel and socket (AddressMap::channel_of), where the base protocol has one
///   per socket.
/// - The HBM sends BEGIN_RESP when the last data have moved; the sender returns TLM_COMPLETED.
/// - A request that no channel can take is answered at once: TLM_COMPLETED with TLM_ADDRESS_ERROR_RESPONSE beyond the
///   capacity, TLM_BURST_ERROR_RESPONSE if it is not within one unit, or has data that are not whole words.
/// Data take effect in the order of END_REQ, as with a controller that forwards from its write queue. The sender may
/// use the data of a read from BEGIN_RESP.
namespace podsim::hw::memory::banks {

struct MemoryExtension : tlm::tlm_extension<MemoryExtension> {
  tlm::tlm_extension_base* clone() const override { return new MemoryExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const MemoryExtension&>(other); }

  std::uint64_t tag = 0;  ///< set by the sender
};

/// A pool of payloads with their extension. A payload returns to it with the last release().
class MemoryPayloadPool : public tlm::tlm_mm_interface {
 public:
  MemoryPayloadPool() = default;
  MemoryPayloadPool(const MemoryPayloadPool&) = delete;
  MemoryPayloadPool& operator=(const MemoryPayloadPool&) = delete;

  /// The caller holds one reference. `words` may be null.
  tlm::tlm_generic_payload& make(const dram::MemoryRequest& request, std::uint32_t* words);
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

}  // namespace podsim::hw::memory::banks
