// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "hw/machine.h"
#include "sw/codegen/registers/block.h"
#include "sw/codegen/schedule/bundle_packer.h"
#include "sw/codegen/schedule/loop_body.h"
#include "sw/codegen/schedule/modulo_scheduler.h"

namespace podsim::sw::codegen::schedule {

/// Writes bundles operation by operation.
class BlockWriter {
 public:
  /// Puts an operation into a row. Returns false if it does not fit.
  bool place(int row, const registers::Operation& operation);
  /// Puts an operation into the first row, not before `row`, in which it fits. Returns that row.
  int place_from(int row, const registers::Operation& operation);
  int rows() const { return int(packer_.rows().size()); }
  void extend_to(int rows) { packer_.extend_to(rows); }
  registers::Block block() const { return {operations_, packer_.rows(), -1, false, 0}; }

 private:
  std::vector<registers::Operation> operations_;
  BundlePacker packer_;
};

/// Writes iterations of a modulo schedule, each `interval` cycles after the previous one. Values of iteration i are in
/// copy i mod `copies` of their registers. Addresses are literals relative to the current values of inductions.
class LoopExpansion {
 public:
  LoopExpansion(const hw::Machine& machine, const LoopBody& body, const ModuloSchedule& schedule, int copies,
                RegisterSource& registers)
      : machine_(machine), body_(body), schedule_(schedule), copies_(copies), registers_(registers) {}

  /// A range of cycles. Throughout it, inductions have the value with which iteration `base` begins.
  struct Window {
    int from = 0, to = 0;              ///< cycles; iteration i begins in cycle i * interval
    int first_iteration = 0, end = 0;  ///< range of the iterations that exist
    int base = 0;
  };
  /// Writes the operations that issue in the window to the rows starting at `row`. Returns false if a literal does not
  /// fit.
  bool write(const Window& window, BlockWriter& writer, int row);
  /// Writes steps of the inductions in `which` by `iterations`, not before the last operation of the latest write()
  /// that reads them.
  void step_inductions(int iterations, const registers::RegisterSet& which, BlockWriter& writer);
  /// Returns the operation that steps an induction by `iterations`.
  registers::Operation step(registers::Register induction, std::int32_t iterations) const;

 private:
  registers::Operation in_iteration(const registers::Operation& operation, int iteration, int base);
  registers::Register name(registers::Register reg, int iteration);

  const hw::Machine& machine_;
  const LoopBody& body_;
  const ModuloSchedule& schedule_;
  int copies_;
  RegisterSource& registers_;
  std::unordered_map<int, std::vector<registers::Register>> names_;
  std::unordered_map<int, int> last_read_;  ///< last row of the latest write() that reads an induction
};

}  // namespace podsim::sw::codegen::schedule
