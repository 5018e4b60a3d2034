// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/operation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/hw/isa/random_bundle.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::bundle::vector {
namespace {

bool reads(const Operation& operation, int entry) {
  for (std::size_t i = 0; i < operation.reads; ++i) {
    if (operation.read[i] == entry) return true;
  }
  return false;
}

/// A bundle that uses few registers, so that its operations meet in them.
isa::Bundle crowded_bundle() {
  const isa::Bundle sparse = isa::random_bundle();
  isa::Bundle bundle;
  for (std::size_t slot = 0; slot < isa::slots; ++slot) {
    bundle.slot[slot] = sparse.slot[slot];
    if (!bundle.slot[slot]) continue;
    isa::Instruction& instruction = *bundle.slot[slot];
    for (isa::Value* operand : {&instruction.x, &instruction.y, &instruction.z}) {
      if (!operand->literal) operand->value %= 3;
    }
    instruction.destination %= 3;
    instruction.mask %= 3;
    if (isa::problem(bundle)) bundle.slot[slot].reset();
  }
  return bundle;
}

/// For every slot to read before any writes, a later operation must not read a register that an earlier one writes,
/// unless the result is deferred, or both are scalar operations, which write together.
RC_GTEST_PROP(DecodedBundle, NoOperationWritesWhatALaterOneReads, ()) {
  static const Machine machine = round_machine();
  const DecodedBundle bundle = decode_bundle(machine, crowded_bundle(), nullptr);
  for (std::size_t i = 0; i < bundle.operations.size(); ++i) {
    const Operation& earlier = bundle.operations[i];
    for (std::size_t j = i + 1; j < bundle.operations.size(); ++j) {
      const Operation& later = bundle.operations[j];
      const bool both_scalar = earlier.executor == Executor::scalar && later.executor == Executor::scalar;
      RC_ASSERT(earlier.deferred || both_scalar || !reads(later, earlier.write));
      RC_ASSERT(!(earlier.executor == Executor::scalar && later.executor != Executor::scalar));
      RC_ASSERT(!(earlier.executor == Executor::store && later.executor == Executor::load));
      RC_ASSERT(!(earlier.executor == Executor::pop && later.executor == Executor::push));
    }
    RC_ASSERT(!earlier.deferred || bundle.deferred);
  }
}

RC_GTEST_PROP(DecodedBundle, HasEveryOperationOnce, ()) {
  static const Machine machine = round_machine();
  const isa::Bundle bundle = isa::random_bundle();
  const DecodedBundle decoded = decode_bundle(machine, bundle, nullptr);
  isa::Bundle found;
  for (const Operation& operation : decoded.operations) {
    RC_ASSERT(!found[operation.slot].has_value());
    RC_ASSERT(bundle[operation.slot]->opcode == operation.opcode);
    found[operation.slot] = bundle[operation.slot];
  }
  RC_ASSERT(found == bundle);
}

}  // namespace
}  // namespace podsim::hw::bundle::vector
