// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/bank_dma.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/systemc/systemc_time.h"

namespace podsim::hw::memory::banks {

namespace {

/// The copy that a DMA engine's descriptor describes, between the core and its memory at port `memory`.
DmaCopy transfer_of(const StreamExtension& request, int memory) {
  const AccessPattern& pattern = request.pattern;
  const DmaEnd core{{}, 0, pattern.row_bytes.value()};
  const DmaEnd far{DmaPort{memory}, pattern.base, pattern.stride, pattern.seed, pattern.span};
  if (request.direction == Direction::read) return {far, core, pattern.rows, pattern.row_bytes};
  return {core, far, pattern.rows, pattern.row_bytes};
}

}  // namespace

BankDma::BankDma(sc_core::sc_module_name name, const Machine& machine, int own_memory, const Trace& trace)
    : CopyDma(name, machine, trace), path_(machine), own_memory_(own_memory) {
  from_engine.register_nb_transport_fw(this, &BankDma::receive);
}

tlm::tlm_sync_enum BankDma::receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  assert(phase == tlm::BEGIN_REQ);
  const StreamExtension& request = stream_extension(payload);
  payload.acquire();
  const base::Cycles arrival =
      time().clock().edge_at_or_after(base::systemc::now() + base::systemc::from_sc_time(delay));
  const bool empty = request.bytes == base::Bytes(0);  // no request is sent
  const base::Cycles start = empty ? arrival : arrival - path_.duration(request.direction);
  if (free_.empty()) {
    free_.push_back(requests_.size());
    requests_.push_back(nullptr);
  }
  const std::uint64_t tag = free_.back();
  free_.pop_back();
  requests_[tag] = &payload;
  enqueue(Origin::engine, transfer_of(request, own_memory_), std::max(time().now(), start), tag);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void BankDma::engine_completed(std::uint64_t tag) {
  tlm::tlm_generic_payload& request = *std::exchange(requests_[tag], nullptr);
  free_.push_back(tag);
  StreamExtension& transfer = stream_extension(request);
  moved_[std::size_t(transfer.direction)] += transfer.bytes;
  transfer.busy_ticks = timing::HbmStream::ticks_of_cycles(busy());
  request.set_response_status(tlm::TLM_OK_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  from_engine->nb_transport_bw(request, phase, delay);
  request.release();
}

}  // namespace podsim::hw::memory::banks
