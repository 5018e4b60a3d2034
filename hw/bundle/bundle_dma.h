// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "hw/bundle/dma_transfer.h"
#include "hw/bundle/instruction_memory.h"
#include "hw/bundle/vector/vector_memory.h"
#include "hw/bundle/vector/vmem_guard.h"
#include "hw/bundle/vector/vmem_ports.h"
#include "hw/core/dma_engine.h"
#include "hw/memory/device_memory.h"

namespace podsim::hw::bundle {

/// The memories that DMA moves words between.
struct DmaMemories {
  memory::DeviceMemory& hbm;
  vector::VectorMemory* vmem;  ///< null in runs without data
  vector::VmemGuard& guard;
  vector::VmemPorts& ports;
  std::vector<std::uint32_t>& smem;
  InstructionMemory& instructions;
};

/// The DMA engine as programs see it: descriptors with addresses and data, on top of DmaEngine, which handles only byte
/// counts.
///
/// A descriptor is one transfer of `rows` rows, each rounded up to whole HBM bursts of 32 bytes (assumption: HBM2 with
/// burst length 4 of 64 bits). All data move in the cycle in which the transfer completes, just before its flag is
/// raised; until then the program must not touch the source or the destination. A copy within HBM is two transfers: all
/// reads, then all writes. Completions of the two directions are not ordered (ISCA21).
class BundleDma : public sc_core::sc_module {
 public:
  BundleDma(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, core::SyncFlags& flags,
            const DmaMemories& memories, const isa::Program& program, const Trace& trace);

  core::DmaEngine& engine() { return engine_; }
  bool full() const { return engine_.full(); }
  /// Starts a descriptor in cycle `now`, which must be the current time. The engine must not be full. Returns the
  /// reason if the descriptor is in error: "DMA 'a' reads ...".
  std::optional<std::string> start(base::Cycles now, const isa::DmaDescriptor& descriptor, std::uint32_t bundle);

  std::size_t in_flight() const { return active_.size(); }
  std::int64_t started() const { return started_; }
  /// Returns the transfer in flight whose completion brings a flag to `value`, if transfers complete in the order of
  /// issue. Null if there is none.
  const DmaTransfer* that_raises(std::size_t flag, std::int64_t value) const;
  /// Returns a transfer in flight that writes a VMEM row (`writes`) or reads it. There must be one.
  const DmaTransfer& at_row(std::int64_t row, bool writes) const;
  /// Returns a transfer in flight that writes an SMEM word (or reads it, if `reads_too`). Null if there is none.
  const DmaTransfer* at_smem(std::uint32_t word, bool reads_too) const;
  /// Returns the transfer in flight that was issued first. There must be one.
  const DmaTransfer& oldest() const { return transfers_[active_.front()]; }
  /// "DMA 'load A' of bundle 3 (copy.pasm:12)"
  std::string text(const DmaTransfer& transfer) const;
  /// "load A", or "to flag 3" if the program has not named the descriptor.
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
  vector::VmemPorts::DmaRows port_rows(Direction direction) const;
  void show(Direction direction);
  std::size_t new_transfer();

  const CoreTime& time_;
  core::SyncFlags& flags_;
  DmaMemories memories_;
  const isa::Program& program_;
  // HBM rate of a direction in 2^-16 bytes per cycle: alone, and while the other direction has work too.
  std::array<std::int64_t, 2> alone_;
  std::int64_t shared_;
  std::vector<DmaTransfer> transfers_;
  std::vector<std::size_t> free_;
  std::vector<std::size_t> active_;                      ///< in flight, in the order of issue
  std::array<std::deque<std::size_t>, 2> by_direction_;  ///< queued at the HBM, in the order of service
  std::int64_t started_ = 0;
  std::size_t in_smem_ = 0;  ///< transfers in flight from or to SMEM
  std::vector<std::uint32_t> row_buffer_;
  core::DmaEngine engine_;
  Trace trace_;
  std::array<base::trace::Probe<std::string>, 2> states_;
  std::array<base::trace::Timeline::Track, 2> tracks_{};
  std::array<base::Cycles, 2> served_until_;  ///< end of the last service, by direction
  base::trace::Probe<std::int64_t> outstanding_;
};

}  // namespace podsim::hw::bundle
