// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>

#include "hw/core/core.h"
#include "hw/host/host_port.h"
#include "hw/trace.h"
#include "noc/ici/ici_port.h"

namespace podsim::hw::chip {

/// A chip at any level of detail: its cores, its PCIe port, and its port of the inter-chip interconnect if connected.
class Chip : public sc_core::sc_module {
 public:
  /// `number` is the chip number in the ids of its cores.
  Chip(sc_core::sc_module_name name, const Machine& machine, int number, const Trace& trace);

  int number() const { return number_; }
  virtual int cores() const = 0;
  virtual core::Core& core(int index) = 0;
  host::HostPort& host() { return host_; }

  /// Connects the chip to a node of a fabric. Called at most once, before the simulation starts.
  noc::ici::IciPort& connect(noc::ici::MessageFabric& fabric, noc::NodeId node);
  /// Null until connected.
  noc::ici::IciPort* ici() { return ici_.get(); }

 private:
  int number_;
  host::HostPort host_;
  std::unique_ptr<noc::ici::IciPort> ici_;
};

}  // namespace podsim::hw::chip
