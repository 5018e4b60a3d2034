// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "hw/machine.h"
#include "sw/kernels/block.h"
#include "sw/kernels/bundle_packer.h"
#include "sw/kernels/loop_body.h"
#include "sw/kernels/modulo_scheduler.h"

namespace podsim::sw {

/// Bundles that are written operation by operation.
class BlockWriter {
 public:
  /// Whether the operation fits into the row.
  bool place(int row, const Operation& operation);
  /// Into the first row from `row` on in which it fits; the row.
  int place_from(int row, const Operation& operation);
  int rows() const { return int(packer_.rows().size()); }
  void extend_to(int rows) { packer_.extend_to(rows); }
  Block block() const { return {operations_, packer_.rows(), -1, false, 0}; }

 private:
  std::vector<Operation> operations_;
  BundlePacker packer_;
};

/// Writes iterations of a modulo schedule, each `interval` cycles after the one before: iteration i's values are in
/// registers number i mod `copies`, and addresses are literals relative to what inductions hold.
class LoopExpansion {
 public:
  LoopExpansion(const hw::Machine& machine, const LoopBody& body, const ModuloSchedule& schedule, int copies,
                RegisterSource& registers)
      : machine_(machine), body_(body), schedule_(schedule), copies_(copies), registers_(registers) {}

  /// Cycles of a stretch of iterations, all of which begin with the inductions as iteration `base` does.
  struct Window {
    int from = 0, to = 0;              ///< cycles; iteration i begins in cycle i * interval
    int first_iteration = 0, end = 0;  ///< iterations that there are
    int base = 0;
  };
  /// What issues in the window, into rows from `row` on; false if some literal does not fit.
  bool write(const Window& window, BlockWriter& writer, int row);
  /// Steps the inductions in `which` by `iterations`, not before the last operation of the writer that reads them.
  void step_inductions(int iterations, const RegisterSet& which, BlockWriter& writer);
  /// Such a step of one of them.
  Operation step(Register induction, std::int32_t iterations) const;

 private:
  Operation in_iteration(const Operation& operation, int iteration, int base);
  Register name(Register reg, int iteration);

  const hw::Machine& machine_;
  const LoopBody& body_;
  const ModuloSchedule& schedule_;
  int copies_;
  RegisterSource& registers_;
  std::unordered_map<int, std::vector<Register>> names_;
  std::unordered_map<int, int> last_read_;  ///< row in which an induction was read last, of the latest write()
};

}  // namespace podsim::sw
