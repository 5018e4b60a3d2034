// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <systemc>
#include <tlm>

#include "hw/memory/chip_memory.h"
#include "hw/memory/hbm.h"

namespace podsim::hw::memory {

/// The memory of a chip at stream level: one Hbm per core, with no contention between cores.
class StreamMemory : public ChipMemory {
 public:
  StreamMemory(sc_core::sc_module_name name, const Machine& machine, const Trace& trace);

  tlm::tlm_target_socket<>& from_dma(int core) override { return halves_[std::size_t(core)].from_dma; }
  bool shares_halves() const override { return true; }
  void move_beside(int core, Direction direction, base::Bytes bytes, base::Time begin) override {
    halves_[std::size_t(core)].move_beside(direction, bytes, begin);
  }
  void stop_beside(int core) override { halves_[std::size_t(core)].stop_beside(); }
  base::Bytes moved(int core, Direction direction) const override {
    return halves_[std::size_t(core)].moved(direction);
  }

 private:
  std::deque<Hbm> halves_;
};

}  // namespace podsim::hw::memory
