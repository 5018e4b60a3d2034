// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "hw/chip/chip_claims.h"
#include "hw/chip/chip_transfers.h"
#include "hw/core/core.h"
#include "hw/host/host_port.h"
#include "hw/memory/chip_memory.h"
#include "hw/trace.h"
#include "noc/chip_switch/message_switch.h"
#include "noc/ici/ici_port.h"

namespace podsim::hw::chip {

/// Binds a chip's ICI port to its node of a network.
using IciBinding = std::function<void(noc::ici::IciPort&)>;

/// The binding to a noc::ici::MessageFabric or PacketNetwork.
template <class Network>
IciBinding to_network(Network& network) {
  return [&network](noc::ici::IciPort& port) { port.bind(network); };
}

/// A chip at any level of detail: its PCIe port, its port of the inter-chip interconnect, and what transfers of
/// collectives take from it. Unless its memory has banks, it has an on-chip switch for whole messages, and transfers
/// claim HBM and switch; with banks, the switch and the movers of transfers are those of the memory. By itself it has
/// no cores and executes nothing.
class Chip : public sc_core::sc_module, private ChipTransfers {
 public:
  /// `number` is the chip number in the ids of its cores, and its node in the network. A chip without `ici` has no ICI
  /// port. With a `memory` of banks a derived class provides it and move().
  Chip(sc_core::sc_module_name name, const Machine& machine, int number, const Trace& trace = {},
       const IciBinding& ici = {}, const noc::ChipSpeed& speed = {},
       memory::MemoryDetail memory = memory::MemoryDetail::stream);

  sc_core::sc_export<ChipTransfers> transfers{"transfers"};

  int number() const { return number_; }
  virtual int cores() const { return 0; }
  /// `index` is below cores().
  virtual core::Core& core(int index);
  host::HostPort& host() { return host_; }
  /// Null without ICI.
  noc::ici::IciPort* ici() { return ici_.get(); }
  /// Enables contention between an op and concurrent transfers for a core's HBM (default: on). If off, each has the
  /// full rate.
  void set_contended(bool contended);
  /// What transfers have claimed of it so far.
  ChipClaims& claims() { return claims_; }

 protected:
  /// The HBM of a core as its transfers claim it.
  timing::HbmOccupancy& occupancy(int core) { return claims_.hbm(core); }
  /// Claims a core's half of the HBM and returns the time at which the last of `bytes` has moved.
  virtual base::Time claim(base::Time now, int core, Direction direction, base::Bytes bytes);
  bool contended() const { return contended_; }
  MoveEnd move(base::Time now, const Move& move) override;
  base::Time copy_latency() const override { return claims_.copy_latency(); }
  base::Time compute(int core, base::Time ready, const VectorWork& work) override {
    return claims_.compute(core, ready, work);
  }

 private:
  base::Time slowed(base::Time healthy) const override { return claims_.slowed(healthy); }

  int number_;
  bool contended_ = true;
  host::HostPort host_;
  std::unique_ptr<noc::chip_switch::MessageSwitch> switch_;  ///< null with banks
  std::unique_ptr<noc::ici::IciPort> ici_;
  ChipClaims claims_;
};

}  // namespace podsim::hw::chip
