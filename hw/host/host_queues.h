// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "base/units.h"

namespace podsim::hw::host {

/// A core's view of the infeed and outfeed queues of its chip's PCIe port (HostPort).
class HostQueues : public sc_core::sc_interface {
 public:
  virtual bool batch_ready(int core) const = 0;
  virtual const sc_core::sc_event& batch_arrived(int core) const = 0;
  /// A core begins to copy between its queue and where its program has the data. copying() tells whether the copy is
  /// still in progress after the time of host_copy_cycles(); it is until `copied` is notified.
  virtual void begin_copy(int core, base::Bytes bytes) = 0;
  virtual bool copying(int core) const = 0;
  virtual const sc_core::sc_event& copied(int core) const = 0;
  /// The core has copied a transfer that was ready; its slot is free.
  virtual void consume(int core) = 0;
  virtual bool outfeed_room(int core) const = 0;
  /// Notified when a slot of a core's outfeed queue has become free.
  virtual const sc_core::sc_event& outfeed_freed(int core) const = 0;
  /// Puts data of a core into its outfeed queue, which must have room.
  virtual void send(int core, base::Bytes bytes) = 0;
};

}  // namespace podsim::hw::host
