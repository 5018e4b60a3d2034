// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "hw/bundle/device_memory.h"
#include "hw/bundle/matrix_unit.h"
#include "hw/isa/dma_descriptor.h"
#include "hw/isa/program.h"
#include "hw/machine.h"
#include "hw/trace.h"

/// One program on one core, bundle by bundle.
namespace podsim::hw {

/// Why no bundle issued in a cycle.
enum class Stall : std::uint8_t {
  branch,           ///< after a taken branch
  sync_flag,        ///< sync_wait
  dma_queue,        ///< no room for another descriptor
  matrix_operands,  ///< an operand FIFO of a matrix unit is full
  matrix_results,   ///< a result of a matrix unit is not there yet
  cross_lane,       ///< the cross-lane unit, either side
  transcendental,   ///< the transcendental unit, either side
  vmem_bank,        ///< a bank of VMEM is busy with an earlier access or DMA
  fence,
};
inline constexpr int stall_reasons = int(Stall::fence) + 1;
/// As text reports it: "sync_flag".
const char* to_string(Stall stall);

/// A bundle at the moment it issued.
struct IssueRecord {
  base::Cycles cycle;
  std::uint32_t address = 0;
  const isa::Bundle& bundle;
  base::Cycles stalled;          ///< cycles it waited beyond the one it could have issued in
  Stall reason = Stall::branch;  ///< the longest wait, if it waited
};

struct BundleRunOptions {
  bool functional = true;  ///< false: no vector data, only time; programs whose scalars steer them still work
  MatrixUnitView matrix_view = MatrixUnitView::event;
  Trace trace;
  std::function<void(const IssueRecord&)> on_issue;  ///< may be empty
  base::Cycles limit{1'000'000'000'000};             ///< a verdict when it is passed
  /// Copies between HBM and VMEM before the first bundle and after the halt that take no time: what is in VMEM before
  /// is taken to come from an earlier program, and what stays there to be for a later one.
  std::vector<isa::DmaDescriptor> before, after;
};

/// An expectation of the program that the memories did not meet at the halt.
struct FailedExpectation {
  const isa::Expectation* expectation = nullptr;
  std::size_t first = 0;        ///< word that differs
  std::size_t differences = 0;  ///< words that do
  std::uint32_t expected = 0, found = 0;
};

/// cycles = bundles + sum of stalls.
struct BundleRunResult {
  base::Cycles cycles;  ///< from the first bundle's issue until after the halt
  std::int64_t bundles = 0;
  std::array<std::int64_t, isa::slots> slot_use{};  ///< operations performed or not, by slot
  std::array<base::Cycles, stall_reasons> stalls{};
  std::vector<base::Cycles> matrix_busy;  ///< per matrix unit: cycles in which LHS rows entered
  base::Cycles hbm_busy;                  ///< cycles in which the HBM moved data
  base::Bytes hbm_read, hbm_written;
  std::int64_t dmas = 0;
  base::Time end;                         ///< simulated time
  std::vector<FailedExpectation> failed;  ///< functional runs only
};

/// Runs a program to its halt: builds a core (units, VMEM, SMEM, sync flags, DMA engine) and its half of the HBM, loads
/// the program's data, simulates, checks its expectations. `hbm` holds the arrays before and after. May be called any
/// number of times in a process: each call has a SystemC context of its own.
///
/// base::SimulationError with a verdict that names bundle address and source line: a hazard (a register read or
/// overwritten before its latency, VMEM out of range, VMEM touched while a DMA moves it, a store read too early, a pop
/// of nothing, a push that could never be accepted, an illegal latch, execution outside of the loaded program, a halt
/// with a DMA in flight), a sync flag that nothing will raise, the cycle limit. base::InputError for a program that
/// does not fit the machine (instruction memory, matrix units, data out of range).
BundleRunResult run_bundles(const Machine& machine, const isa::Program& program, DeviceMemory& hbm,
                            const BundleRunOptions& options = {});

}  // namespace podsim::hw
