// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <tlm>
#include <vector>

#include "hw/access_pattern.h"
#include "hw/timing/hbm_stream.h"

/// The protocol between a DMA engine and its core's half of the HBM. One TLM-2.0 generic payload (read or write,
/// without data) represents one DMA descriptor; its StreamExtension describes the bytes touched in the HBM.
/// Non-blocking:
/// - the DMA engine sends BEGIN_REQ, annotated with the delay after which data may move if the HBM adds no latency of
///   its own; the HBM returns END_REQ at once, and any number of descriptors may be outstanding;
/// - the HBM sends BEGIN_RESP when the last byte has moved; the engine returns TLM_COMPLETED.
namespace podsim::hw::memory {

struct StreamExtension : tlm::tlm_extension<StreamExtension> {
  tlm::tlm_extension_base* clone() const override { return new StreamExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const StreamExtension&>(other); }

  Direction direction = Direction::read;
  base::Bytes bytes;            ///< of the pattern
  AccessPattern pattern;        ///< in the HBM
  std::uint64_t tag = 0;        ///< set by the sender
  std::int64_t busy_ticks = 0;  ///< in the response: HbmStream::busy_ticks() of the HBM
};

/// A pool of payloads with their extension. A payload returns to it with the last release().
class StreamPayloadPool : public tlm::tlm_mm_interface {
 public:
  StreamPayloadPool() = default;
  StreamPayloadPool(const StreamPayloadPool&) = delete;
  StreamPayloadPool& operator=(const StreamPayloadPool&) = delete;

  /// The caller holds one reference.
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

}  // namespace podsim::hw::memory
