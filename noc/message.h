// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <tlm>
#include <vector>

#include "base/units.h"
#include "noc/topology.h"

/// What travels between chips at message level, and how it rides on TLM-2.0.
///
/// Protocol (MessageProtocol, generic payload and standard phases, all calls non-blocking):
///  - a chip sends with nb_transport_fw(BEGIN_REQ), which the fabric accepts at once; any number may be outstanding;
///  - the fabric answers nb_transport_bw(END_REQ) when the injecting link has taken the message, tail included: the
///    sender sees back-pressure. A message of zero hops is taken at once. There is no response: messages are posted
///    writes;
///  - the fabric delivers with nb_transport_fw(BEGIN_REQ) at the receiving chip when the last byte has arrived, and the
///    chip returns TLM_COMPLETED.
/// It departs from the base protocol in having several requests outstanding on a socket and no response phase.
namespace podsim::noc {

struct Message {
  NodeId source = 0;          ///< a node of the fabric's (possibly folded) topology
  Coordinates hops{};         ///< signed hops to the destination, per dimension
  base::Bytes bytes;          ///< payload
  std::uint32_t channel = 0;  ///< which client of the receiving port it is for
  std::uint64_t tag = 0;      ///< the client's own
};

struct MessageProtocol {
  using tlm_payload_type = tlm::tlm_generic_payload;
  using tlm_phase_type = tlm::tlm_phase;
};

/// The message and the state the fabric keeps with it on its way.
class MessageExtension : public tlm::tlm_extension<MessageExtension> {
 public:
  tlm::tlm_extension_base* clone() const override { return new MessageExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const MessageExtension&>(other); }

  Message message;
  Coordinates remaining{};  ///< hops still to go; the fabric's
  base::Time tail;          ///< when the tail is at the node the head has reached; the fabric's
};

/// Payloads with their extension, reused; they return to the pool with the last release().
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  PayloadPool() = default;
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;

  /// A payload that carries the message, with one reference held by the caller.
  tlm::tlm_generic_payload& make(const Message& message);
  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(payload); }

 private:
  struct Slot {
    explicit Slot(PayloadPool* pool) : payload(pool) { payload.set_extension(&extension); }
    ~Slot() { payload.clear_extension(&extension); }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    MessageExtension extension;
    tlm::tlm_generic_payload payload;
  };
  std::deque<Slot> slots_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

inline MessageExtension& message_extension(tlm::tlm_generic_payload& payload) {
  return *payload.get_extension<MessageExtension>();
}

}  // namespace podsim::noc
