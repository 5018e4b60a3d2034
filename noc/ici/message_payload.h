// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <tlm>
#include <vector>

#include "noc/ici/message.h"

/// Messages between chips on TLM-2.0: their protocol and their payloads.
///
/// Protocol (MessageProtocol, generic payload and standard phases, all calls non-blocking):
/// - A chip sends with nb_transport_fw(BEGIN_REQ), which the fabric accepts at once. Any number may be outstanding.
/// - The fabric answers nb_transport_bw(END_REQ) when the injecting link has taken the message, tail included; this is
///   the back-pressure on the sender. A message of zero hops is taken at once. There is no response: messages are
///   posted writes.
/// - The fabric delivers with nb_transport_fw(BEGIN_REQ) at the receiving chip when the last byte has arrived, and the
///   chip returns TLM_COMPLETED.
///
/// It differs from the base protocol in allowing several outstanding requests on a socket and in having no response
/// phase.
namespace podsim::noc::ici {

struct MessageProtocol {
  using tlm_payload_type = tlm::tlm_generic_payload;
  using tlm_phase_type = tlm::tlm_phase;
};

/// The message of a payload.
class MessageExtension : public tlm::tlm_extension<MessageExtension> {
 public:
  tlm::tlm_extension_base* clone() const override { return new MessageExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const MessageExtension&>(other); }

  Message message;
};

/// A payload that contains its extension. All payloads of MessageProtocol are of this type and come from a PayloadPool,
/// so that the extension needs no search; other modules find it by the standard's get_extension() too.
class MessagePayload : public tlm::tlm_generic_payload {
 public:
  explicit MessagePayload(tlm::tlm_mm_interface* pool) : tlm_generic_payload(pool) {
    set_write();
    set_extension(&extension);
  }
  ~MessagePayload() override { clear_extension(&extension); }
  MessagePayload(const MessagePayload&) = delete;
  MessagePayload& operator=(const MessagePayload&) = delete;

  MessageExtension extension;
};

/// A pool of payloads. A payload returns to it with the last release().
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  PayloadPool() = default;
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;

  /// Returns a payload that carries the message. The caller holds one reference.
  tlm::tlm_generic_payload& make(const Message& message);
  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(static_cast<MessagePayload*>(payload)); }

 private:
  std::deque<MessagePayload> slots_;
  std::vector<MessagePayload*> free_;
};

inline MessageExtension& message_extension(tlm::tlm_generic_payload& payload) {
  return static_cast<MessagePayload&>(payload).extension;
}

}  // namespace podsim::noc::ici
