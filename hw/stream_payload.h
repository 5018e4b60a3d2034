// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <tlm>
#include <vector>

#include "hw/access_pattern.h"
#include "hw/hbm_stream.h"

/// One DMA descriptor on its way between a core and its half of the HBM, and how it rides on TLM-2.0: a generic payload
/// (read or write, no data) with this extension, which says what is touched in the HBM. Non-blocking:
///  - the DMA engine sends BEGIN_REQ, annotated with the delay after which data may move if the HBM takes no time for
///    them but that of moving; the HBM answers END_REQ at once and any number may be outstanding;
///  - the HBM sends BEGIN_RESP when the last byte has moved; the engine answers TLM_COMPLETED.
namespace podsim::hw {

struct StreamExtension : tlm::tlm_extension<StreamExtension> {
  tlm::tlm_extension_base* clone() const override { return new StreamExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const StreamExtension&>(other); }

  Direction direction = Direction::read;
  base::Bytes bytes;            ///< of the pattern
  AccessPattern pattern;        ///< in the HBM
  std::uint64_t tag = 0;        ///< the sender's own
  std::int64_t busy_ticks = 0;  ///< response: the HBM's count of time in which it was at work (HbmStream::busy_ticks)
};

/// Payloads with their extension, reused; they return to the pool with the last release().
class StreamPayloadPool : public tlm::tlm_mm_interface {
 public:
  StreamPayloadPool() = default;
  StreamPayloadPool(const StreamPayloadPool&) = delete;
  StreamPayloadPool& operator=(const StreamPayloadPool&) = delete;

  /// One reference is held by the caller.
  tlm::tlm_generic_payload& make(Direction direction, const AccessPattern& pattern, std::uint64_t tag);
  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(payload); }

 private:
  struct Slot {
    explicit Slot(StreamPayloadPool* pool) : payload(pool) { payload.set_extension(&extension); }
    ~Slot() { payload.clear_extension(&extension); }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    StreamExtension extension;
    tlm::tlm_generic_payload payload;
  };
  std::deque<Slot> slots_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

inline StreamExtension& stream_extension(tlm::tlm_generic_payload& payload) {
  return *payload.get_extension<StreamExtension>();
}

}  // namespace podsim::hw
