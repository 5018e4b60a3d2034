// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/code_lowering.h"

#include <algorithm>

#include "sw/kernels/bundle_packer.h"
#include "sw/kernels/in_order_scheduler.h"

namespace podsim::sw {

using hw::isa::Opcode;

namespace {

bool stores_vectors(const RecordedCode& code) {
  return std::any_of(code.begin(), code.end(), [](const RecordedItem& item) {
    if (const auto* operation = std::get_if<Operation>(&item)) {
      return operation->info().slot == hw::isa::SlotKind::store;
    }
    return stores_vectors(std::get<std::unique_ptr<RecordedLoop>>(item)->body);
  });
}

class Lowering {
 public:
  Lowering(const hw::Machine& machine, int& next_scalar) : machine_(machine), next_scalar_(next_scalar) {}

  BlockList run(const RecordedCode& code) {
    add(code);
    flush();
    return std::move(blocks_);
  }

 private:
  void add(const RecordedCode& code) {
    for (const RecordedItem& item : code) {
      if (const auto* operation = std::get_if<Operation>(&item)) {
        add(*operation);
      } else {
        add(*std::get<std::unique_ptr<RecordedLoop>>(item));
      }
    }
  }

  void add(const Operation& operation) {
    if (operation.opcode == Opcode::dma && stored_) add(make(Opcode::fence));
    if (operation.opcode == Opcode::fence) stored_ = false;
    if (operation.info().slot == hw::isa::SlotKind::store) stored_ = true;
    straight_.push_back(operation);
  }

  void add(const RecordedLoop& loop) {
    if (loop.trips.literal && loop.trips.value == 1) return add(loop.body);
    stored_ = stored_ || stores_vectors(loop.body);
    const Register counter(RegisterClass::scalar, next_scalar_++);
    Operation start = make(Opcode::s_mov);
    start.destination = counter;
    start.y = loop.trips;
    add(start);
    flush();
    const int top = int(blocks_.size());
    add(loop.body);
    Operation again = make(Opcode::s_loop);
    again.x = Operand::of(counter);
    again.y = Operand::of(unknown_target);
    add(again);
    flush();
    blocks_.back().target = top;
  }

  static Operation make(Opcode opcode) {
    Operation operation;
    operation.opcode = opcode;
    return operation;
  }

  void flush() {
    if (straight_.empty()) return;
    blocks_.push_back(schedule_in_order(machine_, std::move(straight_)));
    straight_.clear();
  }

  const hw::Machine& machine_;
  int& next_scalar_;
  std::vector<Operation> straight_;
  bool stored_ = false;  ///< something that no fence waited for
  BlockList blocks_;
};

}  // namespace

BlockList lower(const hw::Machine& machine, const RecordedCode& code, int& next_scalar) {
  return Lowering(machine, next_scalar).run(code);
}

}  // namespace podsim::sw
