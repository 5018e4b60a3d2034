// SPDX-License-Identifier: Apache-2.0
#include "hw/chip_memory.h"

#include <deque>
#include <string>

#include "hw/hbm.h"
#include "hw/memory/bank_memory.h"

namespace podsim::hw {

namespace {

class StreamMemory : public ChipMemory {
 public:
  StreamMemory(sc_core::sc_module_name name, const Machine& machine, const Trace& trace) : ChipMemory(name) {
    for (int core = 0; core < int(machine.cores_per_chip); ++core) {
      const std::string number = std::to_string(core);
      halves_.emplace_back(("hbm" + number).c_str(), machine, trace.below("core" + number).below("hbm"));
    }
  }

  tlm::tlm_target_socket<>& from_dma(int core) override { return halves_[std::size_t(core)].from_dma; }
  base::Bytes moved(int core, Direction direction) const override {
    return halves_[std::size_t(core)].moved(direction);
  }

 private:
  std::deque<Hbm> halves_;
};

}  // namespace

std::unique_ptr<ChipMemory> make_chip_memory(sc_core::sc_module_name name, MemoryDetail detail, const Machine& machine,
                                             HostPort& host, const Trace& trace) {
  if (detail == MemoryDetail::bank) return std::make_unique<BankMemory>(name, machine, host, trace);
  return std::make_unique<StreamMemory>(name, machine, trace);
}

}  // namespace podsim::hw
