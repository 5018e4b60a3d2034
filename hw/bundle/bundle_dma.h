// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "hw/bundle/device_memory.h"
#include "hw/bundle/dma_transfer.h"
#include "hw/bundle/instruction_memory.h"
#include "hw/bundle/vector_memory.h"
#include "hw/bundle/vmem_guard.h"
#include "hw/bundle/vmem_ports.h"
#include "hw/dma_engine.h"

namespace podsim::hw {

/// The memories that DMA moves words between.
struct DmaMemories {
  DeviceMemory& hbm;
  VectorMemory* vmem;  ///< null in runs without data
  VmemGuard& guard;
  VmemPorts& ports;
  std::vector<std::uint32_t>& smem;
  InstructionMemory& instructions;
};

/// The DMA engine as programs see it: descriptors with addresses and data over DmaEngine, which knows bytes only.
///
/// A descriptor is one transfer of `rows` times its row's bytes, rounded up to the 32 bytes that HBM is accessed by
/// (assumption: an atom of HBM2, burst length 4 of 64 bits). All its data move in the cycle in which the transfer
/// completes, just before its flag goes up; until then source and destination may not be touched. A copy within HBM is
/// two transfers, all reads and then all writes. Completions of the two directions are not ordered (ISCA21).
class BundleDma : public sc_core::sc_module {
 public:
  BundleDma(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, SyncFlags& flags,
            const DmaMemories& memories, const isa::Program& program, const Trace& trace);

  DmaEngine& engine() { return engine_; }
  bool full() const { return engine_.full(); }
  /// Starts a descriptor at the present, cycle `now`; not while full. Otherwise why it cannot be: "DMA 'a' reads ...".
  std::optional<std::string> start(base::Cycles now, const isa::DmaDescriptor& descriptor, std::uint32_t bundle);

  std::size_t in_flight() const { return active_.size(); }
  std::int64_t started() const { return started_; }
  /// The transfer in flight whose completion makes a flag `value`, if they complete as they were issued; null if none.
  const DmaTransfer* that_raises(std::size_t flag, std::int64_t value) const;
  /// A transfer in flight that writes a VMEM row, or reads it.
  const DmaTransfer& at_row(std::int64_t row, bool writes) const;
  /// A transfer in flight that writes an SMEM word (or reads it, if `reads_too`); null if none.
  const DmaTransfer* at_smem(std::uint32_t word, bool reads_too) const;
  /// Any in flight.
  const DmaTransfer& oldest() const { return transfers_[active_.front()]; }
  /// "DMA 'load A' of bundle 3 (copy.pasm:12)"
  std::string text(const DmaTransfer& transfer) const;
  /// "load A", or its number if the program has not named it.
  std::string name(const isa::DmaDescriptor& descriptor) const;

 private:
  std::optional<std::string> refusal(const DmaTransfer& transfer, base::Cycles now) const;
  std::optional<std::string> range_refusal(const DmaTransfer& transfer) const;
  std::optional<std::string> conflict(const DmaTransfer& transfer) const;
  void issue(std::size_t number, base::Cycles now);
  void completed(std::size_t number);
  void move(const DmaTransfer& transfer);
  void copy_row(const DmaTransfer& transfer, std::uint64_t row);
  void mark(const DmaTransfer& transfer, bool begin);
  void update_ports();
  VmemPorts::DmaRows port_rows(Direction direction) const;
  void show(Direction direction);
  std::size_t new_transfer();

  const CoreTime& time_;
  SyncFlags& flags_;
  DmaMemories memories_;
  const isa::Program& program_;
  // 2^-16 bytes per cycle that the HBM moves of a direction, without and with the other.
  std::array<std::int64_t, 2> alone_;
  std::int64_t shared_;
  std::vector<DmaTransfer> transfers_;
  std::vector<std::size_t> free_;
  std::vector<std::size_t> active_;                      ///< in flight, in the order of issue
  std::array<std::deque<std::size_t>, 2> by_direction_;  ///< at the HBM, in the order of service
  std::int64_t started_ = 0;
  std::size_t in_smem_ = 0;  ///< transfers in flight from or to SMEM
  std::vector<std::uint32_t> row_buffer_;
  DmaEngine engine_;
  Trace trace_;
  std::array<base::Probe<std::string>, 2> states_;
  std::array<base::Timeline::Track, 2> tracks_{};
  std::array<base::Cycles, 2> served_until_;  ///< end of the last service, by direction
  base::Probe<std::int64_t> outstanding_;
};

}  // namespace podsim::hw
