// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/memory_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "sw/compiler/memory_account.h"
#include "sw/driver/compile.h"
#include "tests/hlo/hlo_text.h"
#include "tests/sw/compiler/random_module.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler {
namespace {

constexpr std::int64_t ordered_tile = 8 * 128 * 4;

std::vector<std::string> names_in_order(const hlo::Module& module) {
  std::vector<std::string> names;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) names.push_back(instruction.name);
  return names;
}

int place_in_order(const hlo::Module& module, const std::string& name) {
  const std::vector<std::string> order = names_in_order(module);
  return int(std::ranges::find(order, name) - order.begin());
}

/// Two arrays of four tiles whose maxima come last, behind an array of twelve tiles.
hlo::Module with_late_maxima() {
  hlo::build::GraphBuilder g("late_maxima");
  const auto wide = [&](hlo::InstructionId x, std::int64_t copies) { return g.broadcast(x, {copies, 8, 128}, {1, 2}); };
  const hlo::InstructionId x = g.parameter(hlo::make_shape(hlo::ElementType::f32, {8, 128}), "x");
  const hlo::InstructionId first = wide(x, 4);
  const hlo::InstructionId second = wide(g.negate(x), 4);
  const hlo::InstructionId many = wide(g.tanh(x), 12);
  std::vector<hlo::InstructionId> maxima;
  for (const hlo::InstructionId array : {many, first, second}) maxima.push_back(g.reduce_max(array, {0}));
  return std::move(g).build(g.tuple(maxima));
}

// At the maximum of the twelve tiles: x, the maximum, the number it begins with, and 4 + 4 tiles that wait for theirs,
// or nothing else.
TEST(MemoryOrder, WhatNeedsMostComesFirst) {
  const hlo::Module module = with_late_maxima();
  EXPECT_EQ(account_memory(module).peak.value(), (1 + 1 + 4 + 4 + 12) * ordered_tile + 4);
  const hlo::Module ordered = ordered_by_memory(module);
  hlo::build::verify(ordered);
  EXPECT_EQ(account_memory(ordered).peak.value(), (1 + 1 + 12) * ordered_tile + 4);
}

// Two layers of 32 tiles and their gradients, with weight gradients of 16 tiles at the end. There p, both layers, both
// gradients and the first weight gradient are live. The weight gradient of the upper layer frees most, as soon
// as its operands have been computed: it, p, both layers and the upper gradient are live, and then p, the lower layer,
// both gradients and the weight gradient.
TEST(MemoryOrder, WhatFreesMostComesNext) {
  const hlo::Module module = hlo::testing::graph_of_entry(R"(
    p = f32[256,128] parameter(0)
    lower = f32[256,128] tanh(p)
    upper = f32[256,128] tanh(lower)
    of_upper = f32[256,128] cosine(upper)
    of_lower = f32[256,128] negate(of_upper)
    lower_weight = f32[128,128] dot(of_lower, lower), lhs_contracting_dims={0}, rhs_contracting_dims={0}
    upper_weight = f32[128,128] dot(of_upper, upper), lhs_contracting_dims={0}, rhs_contracting_dims={0}
    ROOT t = (f32[128,128], f32[128,128]) tuple(lower_weight, upper_weight))");
  EXPECT_EQ(account_memory(module).peak.value(), (5 * 32 + 16) * ordered_tile);
  EXPECT_EQ(account_memory(ordered_by_memory(module)).peak.value(), (4 * 32 + 16) * ordered_tile);
}

TEST(MemoryOrder, AScheduledModuleStaysAsItIs) {
  hlo::Module module = with_late_maxima();
  module.scheduled = true;
  EXPECT_EQ(names_in_order(ordered_by_memory(module)), names_in_order(module));
}

// The sum would free two tiles before the infeed.
TEST(MemoryOrder, NothingMovesOverAnInstructionWithEffects) {
  const hlo::Module module = hlo::testing::graph_of_entry(R"(
    x = f32[8,128] parameter(0)
    a = f32[2,8,128] broadcast(x), dimensions={1,2}
    t = token[] after-all()
    i = (f32[8,8,128], token[]) infeed(t)
    b = f32[8,8,128] get-tuple-element(i), index=0
    row = f32[1,8,128] slice(b), slice={[0:1],[0:8],[0:128]}
    low = f32[1,8,128] slice(a), slice={[0:1],[0:8],[0:128]}
    ROOT sum = f32[1,8,128] add(row, low))");
  const hlo::Module ordered = ordered_by_memory(module);
  EXPECT_LT(place_in_order(ordered, "a"), place_in_order(ordered, "i"));
  EXPECT_GT(place_in_order(ordered, "low"), place_in_order(ordered, "i"));
}

// The update would free the four tiles of the row that it writes. It stays behind the reader of the row that it
// overwrites, and an instruction that replaces a donated parameter stays behind the readers of the parameter.
TEST(MemoryOrder, ReadersComeBeforeWhatOverwritesTheirOperand) {
  const hlo::Module module = hlo::testing::graph_of_entry(R"(
    x = f32[4,8,128] parameter(0)
    p = f32[8,128] parameter(1)
    zero = s32[] constant(0)
    old = f32[4,8,128] exponential(x)
    many = f32[16,8,128] broadcast(p), dimensions={1,2}
    start = f32[2,8,128] slice(many), slice={[0:2],[0:8],[0:128]}
    reader = f32[4,8,128] negate(old)
    row = f32[1,8,128] slice(reader), slice={[0:1],[0:8],[0:128]}
    of_p = f32[8,128] tanh(p)
    new_p = f32[8,128] cosine(p)
    update = f32[4,8,128] dynamic-update-slice(old, start, zero, zero, zero)
    ROOT t = (f32[8,128], f32[4,8,128], f32[1,8,128], f32[8,128]) tuple(new_p, update, row, of_p))");
  const std::vector<hlo::Donation> donations{{.output = 0, .parameter = 1}};
  const hlo::Module ordered = ordered_by_memory(module, donations);
  EXPECT_LT(place_in_order(ordered, "reader"), place_in_order(ordered, "update"));
  EXPECT_LT(place_in_order(ordered, "of_p"), place_in_order(ordered, "new_p"));
  EXPECT_LT(place_in_order(ordered, "many"), place_in_order(ordered, "new_p"));
}

/// Random trees and graphs of ops that leave one tile and need more of them meanwhile.
class Hills {
 public:
  /// Every result is read once, in a random order of the ops.
  static hlo::Module tree(int hills) {
    Hills result;
    while (result.open_.size() < std::size_t(hills)) result.open_.push_back(result.hill({}));
    while (result.open_.size() > 1) {
      const hlo::InstructionId first = result.taken(), second = result.taken();
      result.open_.push_back(result.hill({first, second}));
    }
    return std::move(result.b_).build(result.open_.front());
  }

  /// Results may be read several times, and some are results of the module.
  static hlo::Module graph(int hills) {
    Hills result;
    result.open_.push_back(result.hill({}));
    for (int i = 1; i < hills; ++i) {
      result.open_.push_back(result.hill({result.any(), result.any()}));
    }
    return std::move(result.b_).build(result.b_.tuple({result.any(), result.open_.back()}));
  }

 private:
  /// Maximum of all operands, written over and over and reduced again.
  hlo::InstructionId hill(std::vector<hlo::InstructionId> operands) {
    // Equal ops would be made one, so that each leaf has its own parameter.
    const hlo::Shape tile = hlo::make_shape(hlo::ElementType::f32, {8, 128});
    hlo::InstructionId highest = operands.empty() ? b_.parameter(tile, "x") : operands.front();
    for (std::size_t i = 1; i < operands.size(); ++i) highest = b_.maximum(highest, operands[i]);
    const hlo::InstructionId wide = b_.broadcast(highest, {*rc::gen::inRange(1, 9), 8, 128}, {1, 2});
    return b_.reduce_max(wide, {0});
  }
  hlo::InstructionId any() const { return open_[std::size_t(*rc::gen::inRange(0, int(open_.size())))]; }
  hlo::InstructionId taken() {
    const auto at = open_.begin() + *rc::gen::inRange(0, int(open_.size()));
    const hlo::InstructionId id = *at;
    open_.erase(at);
    return id;
  }

  hlo::build::GraphBuilder b_{"hills"};
  std::vector<hlo::InstructionId> open_;
};

/// The least peak of any order of an entry of at most 24 instructions none of which shares memory with another, by
/// trying all sets of instructions that may come first.
std::int64_t min_peak(const hlo::Computation& entry) {
  const int count = int(entry.instructions.size());
  std::vector<unsigned> operands(std::size_t(count), 0U), readers(std::size_t(count), 0U);
  std::vector<std::int64_t> bytes;
  for (int id = 0; id < count; ++id) {
    for (const hlo::InstructionId operand : entry[id].operands) {
      operands[std::size_t(id)] |= 1U << operand;
      readers[std::size_t(operand)] |= 1U << id;
    }
    bytes.push_back(entry[id].opcode == hlo::Opcode::tuple ? 0 : hlo::padded_bytes(entry[id].shape).value());
  }
  const auto is_kept = [&](int id) {
    const bool is_result = id == entry.root || (readers[std::size_t(id)] >> entry.root & 1U) != 0;
    return entry[id].opcode == hlo::Opcode::parameter || is_result;
  };
  std::vector<std::int64_t> least(std::size_t(1) << count, -1);  // of the peak until a set has run
  unsigned parameters = 0;
  for (const hlo::InstructionId id : entry.parameters) parameters |= 1U << id;
  least[parameters] = 0;
  for (unsigned done = parameters; done + 1 < least.size(); ++done) {
    if (least[done] < 0) continue;
    for (int next = 0; next < count; ++next) {
      if ((done >> next & 1U) != 0 || (operands[std::size_t(next)] & ~done) != 0) continue;
      std::int64_t live = bytes[std::size_t(next)];
      for (int id = 0; id < count; ++id) {
        const bool is_made = (done >> id & 1U) != 0;
        const bool is_needed = is_kept(id) || (readers[std::size_t(id)] & ~done) != 0;
        if (id != next && is_made && is_needed) live += bytes[std::size_t(id)];
      }
      std::int64_t& after = least[done | 1U << next];
      const std::int64_t peak = std::max(least[done], live);
      if (after < 0 || peak < after) after = peak;
    }
  }
  return least.back();
}

// Numbers that reductions begin with take four bytes each; all else is in tiles.
RC_GTEST_PROP(MemoryOrder, TakesTheLeastMemoryForTrees, ()) {
  const hlo::Module module = Hills::tree(*rc::gen::inRange(1, 5));
  const hlo::Module ordered = ordered_by_memory(module);
  const std::int64_t least = min_peak(module.entry_computation()), peak = account_memory(ordered).peak.value();
  RC_TAG(account_memory(module).peak.value() >= least + ordered_tile);
  RC_ASSERT(peak >= least);
  RC_ASSERT(peak < least + ordered_tile);
}

RC_GTEST_PROP(MemoryOrder, TakesNoLessThanTheLeastAndNoMoreThanBefore, ()) {
  const hlo::Module module = Hills::graph(*rc::gen::inRange(1, 6));
  const hlo::Module ordered = ordered_by_memory(module);
  hlo::build::verify(ordered);
  RC_ASSERT(account_memory(ordered).peak.value() >= min_peak(module.entry_computation()));
  RC_ASSERT(account_memory(ordered).peak <= account_memory(module).peak);
  RC_ASSERT(names_in_order(ordered) == names_in_order(ordered_by_memory(module)));
}

RC_GTEST_PROP(MemoryOrder, ChangesNoBitAndTakesNoMoreMemory, ()) {
  const hlo::Module fused = sw::driver::fused(testing::RandomModule::make(), sw::tpu_v3());
  const hlo::Module ordered = ordered_by_memory(fused);
  hlo::build::verify(ordered);
  RC_ASSERT(account_memory(ordered).peak <= account_memory(fused).peak);
  RC_TAG(names_in_order(ordered) != names_in_order(fused));
  const std::vector<hlo::Literal> arguments = testing::random_arguments(fused);
  RC_ASSERT(hlo::same_values(hlo::eval::evaluate(ordered, arguments), hlo::eval::evaluate(fused, arguments)));
}

}  // namespace
}  // namespace podsim::sw::compiler
