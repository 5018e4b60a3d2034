// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "hw/bundle/matrix/matrix_unit.h"
#include "hw/isa/dma_descriptor.h"
#include "hw/isa/opcode.h"
#include "hw/isa/program.h"
#include "hw/machine.h"
#include "hw/memory/device_memory.h"
#include "hw/trace.h"

/// One program on one core, bundle by bundle.
namespace podsim::hw::bundle {

/// Cause of a cycle in which no bundle issued.
enum class Stall : std::uint8_t {
  branch,           ///< after a taken branch
  sync_flag,        ///< sync_wait
  dma_queue,        ///< no room for another descriptor
  matrix_operands,  ///< an operand FIFO of a matrix unit is full
  matrix_results,   ///< a result of a matrix unit is not available yet
  cross_lane,       ///< the cross-lane unit, either side
  transcendental,   ///< the transcendental unit, either side
  scalar_path,      ///< the path from the vector to the scalar unit, either side
  vmem_bank,        ///< a bank of VMEM is busy with this bundle's other rows, or with DMA
  fence,
};
inline constexpr int stall_reasons = int(Stall::fence) + 1;
/// Name in text reports: "sync_flag".
const char* to_string(Stall stall);

/// A bundle at the moment it issued.
struct IssueRecord {
  base::Cycles cycle;
  std::uint32_t address = 0;
  const isa::Bundle& bundle;
  base::Cycles stalled;          ///< stall cycles since the previous bundle's issue, those after a branch included
  Stall reason = Stall::branch;  ///< cause of the longest wait, if it waited
};

struct BundleRunResult;

struct BundleRunOptions {
  bool functional = true;  ///< false: only time, without vector data; scalar data still steer the program
  matrix::MatrixUnitView matrix_view = matrix::MatrixUnitView::event;
  Trace trace;
  std::function<void(const IssueRecord&)> on_issue;  ///< may be empty
  base::Cycles limit{1'000'000'000'000};             ///< the run ends with an error when it reaches this cycle
  std::function<void(base::Cycles)> progress;        ///< called now and then with the current cycle; may be empty
  BundleRunResult* partial = nullptr;                ///< receives the figures so far of a run that is interrupted
  /// Copies between HBM and VMEM that take no time, before the first bundle and after the halt. They model data that an
  /// earlier program left in VMEM, and data left there for a later one.
  std::vector<isa::DmaDescriptor> before, after;
};

/// Numbers of operations by opcode.
using OpcodeCounts = std::array<std::int64_t, isa::opcodes>;

/// An expectation of the program that the memories do not meet at the halt.
struct FailedExpectation {
  const isa::Expectation* expectation = nullptr;
  std::size_t first = 0;        ///< index of the first word that differs
  std::size_t differences = 0;  ///< number of words that differ
  std::uint32_t expected = 0, found = 0;
};

/// Invariant: cycles = bundles + sum of stalls.
struct BundleRunResult {
  base::Cycles cycles;  ///< from the first bundle's issue until after the halt
  std::int64_t bundles = 0;
  std::array<std::int64_t, isa::slots> slot_use{};  ///< operations issued by slot, also under a false predicate
  std::array<base::Cycles, stall_reasons> stalls{};
  std::vector<base::Cycles> matrix_busy;  ///< per matrix unit: cycles in which LHS rows entered
  base::Cycles hbm_busy;                  ///< cycles in which the HBM moved data
  base::Bytes hbm_read, hbm_written;
  std::int64_t dmas = 0;
  OpcodeCounts performed{};               ///< operations that were performed, by opcode
  base::Time end;                         ///< simulated time at the end
  std::vector<FailedExpectation> failed;  ///< functional runs only
};

/// Runs a program to its halt. Builds a core (units, VMEM, SMEM, sync flags, DMA engine) and its half of the HBM, loads
/// the program's data, simulates, and checks the program's expectations. `hbm` holds the arrays before and after the
/// run. May be called any number of times in a process, since each call has a separate SystemC context.
///
/// Throws base::SimulationError with a verdict that names the bundle address and the source line for:
/// - a hazard: a register read or overwritten before its latency has passed, a VMEM access out of range, VMEM touched
///   while a DMA moves it, a store read too early, a pop without a result in flight, a push that can never be accepted,
///   an illegal latch, execution outside the loaded program, a halt with a DMA in flight;
/// - a wait for a sync flag that nothing will raise;
/// - the cycle limit.
///
/// Throws base::host::Interrupted, with the bundle as its location, when the program is interrupted.
///
/// Throws base::InputError for a program that does not fit the machine (instruction memory, matrix units, data out of
/// range), and for one with s_pop in a run without data, which cannot know the words that steer it.
BundleRunResult run_bundles(const Machine& machine, const isa::Program& program, memory::DeviceMemory& hbm,
                            const BundleRunOptions& options = {});

}  // namespace podsim::hw::bundle
