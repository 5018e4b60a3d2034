// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>

#include "hw/core.h"
#include "hw/host_port.h"
#include "hw/trace.h"
#include "noc/ici_port.h"

namespace podsim::hw {

/// A chip at any level of detail: its cores, its PCIe port, and its port to the inter-chip interconnect if it has been
/// connected to one.
class Chip : public sc_core::sc_module {
 public:
  /// `number` is what the cores' ids carry.
  Chip(sc_core::sc_module_name name, const Machine& machine, int number, const Trace& trace);

  int number() const { return number_; }
  virtual int cores() const = 0;
  virtual Core& core(int index) = 0;
  HostPort& host() { return host_; }

  /// Joins the chip to a node of a fabric; once, before the simulation starts.
  noc::IciPort& connect(noc::MessageFabric& fabric, noc::NodeId node);
  /// Null until connected.
  noc::IciPort* ici() { return ici_.get(); }

 private:
  int number_;
  HostPort host_;
  std::unique_ptr<noc::IciPort> ici_;
};

}  // namespace podsim::hw
