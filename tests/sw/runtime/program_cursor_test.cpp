// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/program_cursor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace podsim::sw::runtime {
namespace {

/// A program of random nested loops, and the items that it passes, expanded by recursion.
class Nest {
 public:
  compiler::Program program;

  std::vector<int> body(int depth) {
    std::vector<int> passed;
    for (int parts = *rc::gen::inRange(0, 4); parts > 0; --parts) {
      const std::vector<int> part = depth < 3 && *rc::gen::inRange(0, 3) == 0 ? loop(depth + 1) : op();
      passed.insert(passed.end(), part.begin(), part.end());
    }
    return passed;
  }

 private:
  std::vector<int> op() {
    program.items.push_back({});
    return {int(program.items.size()) - 1};
  }

  std::vector<int> loop(int depth) {
    compiler::Loop loop;
    loop.trips = *rc::gen::inRange(1, 4);
    loop.first = int(program.items.size());
    const std::vector<int> once = body(depth);
    compiler::ProgramItem jump;
    jump.kind = compiler::ProgramItem::Kind::repeat;
    jump.index = int(program.loops.size());
    program.items.push_back(jump);
    loop.end = int(program.items.size());
    std::vector<int> passed;
    for (int trip = 0; trip < loop.trips; ++trip) passed.insert(passed.end(), once.begin(), once.end());
    program.loops.push_back(loop);
    return passed;
  }
};

RC_GTEST_PROP(ProgramCursor, PassesTheItemsOfLoopsAsOftenAsTheyRunInEveryStep, ()) {
  Nest nest;
  const std::vector<int> expected = nest.body(0);
  ProgramCursor cursor(nest.program);
  std::uint64_t execution = 0;
  for (int step = 0; step < 2; ++step) {
    RC_ASSERT(cursor.step() == step);
    std::vector<int> passed;
    for (; !cursor.at_end_of_step(); cursor.advance(), ++execution) {
      RC_ASSERT(cursor.execution() == execution);
      passed.push_back(cursor.item());
    }
    RC_ASSERT(passed == expected);
    if (!expected.empty()) RC_ASSERT(cursor.last_execution(expected.back()) == execution - 1);
    cursor.begin_next_step();
  }
}

/// The program with some of its items for core 1 only.
RC_GTEST_PROP(ProgramCursor, CoresThatSkipItemsGiveTheOthersTheSameTokens, ()) {
  Nest nest;
  nest.body(0);
  nest.program.core_sets = {{1}};
  for (compiler::ProgramItem& item : nest.program.items) {
    if (item.kind == compiler::ProgramItem::Kind::op && *rc::gen::arbitrary<bool>()) item.cores = 0;
  }
  ProgramCursor all(nest.program, 1), some(nest.program, 0);
  for (int step = 0; step < 2; ++step) {
    for (; !all.at_end_of_step(); all.advance()) {
      if (nest.program.items[std::size_t(all.item())].cores == 0) continue;
      RC_ASSERT(some.item() == all.item());
      RC_ASSERT(some.execution() == all.execution());
      some.advance();
    }
    RC_ASSERT(some.at_end_of_step());
    all.begin_next_step();
    some.begin_next_step();
  }
}

}  // namespace
}  // namespace podsim::sw::runtime
