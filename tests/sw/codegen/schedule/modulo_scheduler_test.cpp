// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/modulo_scheduler.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>

#include "hw/bundle/bundle_run.h"
#include "sw/codegen/builder/kernel_builder.h"
#include "sw/codegen/schedule/loop_body.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/codegen/hand_written.h"

namespace podsim::sw::codegen::schedule {
namespace {

using hw::isa::Opcode;
using hw::isa::SlotKind;

/// A body as the pipelined loop makes it: `carried` registers are read before they are written.
struct Scheduled {
  LoopBody body;
  DependenceGraph graph{0};
  std::optional<ModuloSchedule> schedule;
};
Scheduled modulo_schedule(std::vector<registers::Operation> operations, const std::vector<registers::Register>& carried,
                          const std::vector<int>& independent_buffers = {}, int vector_budget = 32) {
  Region region;
  region.operations = std::move(operations);
  region.live_in = region.live_around = hand::set(carried);
  RegisterSource registers({100, 100, 100, 100});
  Scheduled result;
  result.body = prepare_loop_body(region, registers);
  const FifoState fifos;
  result.graph = find_dependences({hw::the_tpu_v3(), result.body.operations, fifos, true, &result.body.renamed,
                                   &independent_buffers, &result.body.inductions});
  result.schedule = schedule_modulo(
      {hw::the_tpu_v3(), result.body.operations, result.graph, result.body.renamed, {31, vector_budget, 7, 7}, 10'000});
  return result;
}
int interval(std::vector<registers::Operation> operations, const std::vector<registers::Register>& carried,
             const std::vector<int>& independent_buffers = {}) {
  return modulo_schedule(std::move(operations), carried, independent_buffers).schedule->interval;
}

// y += a x: two loads, a multiplication, an addition, a store, each 8 rows further on.
std::vector<registers::Operation> daxpy() {
  return {hand::load(hand::v(1), hand::s(1), 0, 0),
          hand::load(hand::v(2), hand::s(2), 0, 1),
          hand::op(hw::isa::Opcode::v_mul_f32, hand::v(3), hand::of(hand::v(1)), hand::of(0x40200000)),
          hand::add(hand::v(4), hand::v(3), hand::of(hand::v(2))),
          hand::store(hand::v(4), hand::s(2), 0, 1),
          hand::s_add(hand::s(1), hand::s(1), 8),
          hand::s_add(hand::s(2), hand::s(2), 8)};
}

TEST(ModuloScheduler, TheBusiestSlotBoundsALoopWithoutRecurrences) {
  EXPECT_EQ(interval(daxpy(), {hand::s(1), hand::s(2)}), 2);  // two loads
  EXPECT_EQ(interval({hand::load(hand::v(1), hand::s(1)), hand::store(hand::v(1), hand::s(2), 0, 1),
                      hand::s_add(hand::s(1), hand::s(1), 8), hand::s_add(hand::s(2), hand::s(2), 8)},
                     {hand::s(1), hand::s(2)}),
            1);
  std::vector<registers::Operation> chain{hand::load(hand::v(1), hand::s(1))};
  for (int i = 1; i < 8; ++i) chain.push_back(hand::add(hand::v(i + 1), hand::v(i), hand::of(0x3f800000)));
  chain.push_back(hand::store(hand::v(8), hand::s(1), 0, 1));
  EXPECT_EQ(interval(chain, {hand::s(1)}, {1}), 4);  // seven additions in two slots
}

TEST(ModuloScheduler, ARecurrenceBoundsALoopByItsLatency) {
  // sum += x: the ALU's two cycles.
  EXPECT_EQ(interval({hand::load(hand::v(1), hand::s(1)), hand::add(hand::v(2), hand::v(2), hand::of(hand::v(1))),
                      hand::s_add(hand::s(1), hand::s(1), 8)},
                     {hand::s(1), hand::v(2)}),
            2);
  // sum = (sum + x) * x: twice that.
  EXPECT_EQ(interval({hand::load(hand::v(1), hand::s(1)), hand::add(hand::v(2), hand::v(2), hand::of(hand::v(1))),
                      hand::op(hw::isa::Opcode::v_mul_f32, hand::v(2), hand::of(hand::v(2)), hand::of(hand::v(1))),
                      hand::s_add(hand::s(1), hand::s(1), 8)},
                     {hand::s(1), hand::v(2)}),
            4);
}

TEST(ModuloScheduler, ARecurrenceThroughMemoryIsBoundedByHowFarApartItsIterationsAre) {
  // x[i + n] = x[i] + 1 in rows of 8: load 4, addition 2, store to load 8, over n iterations.
  for (const int n : {1, 2, 3, 14, 20}) {
    const int bound = std::max(1, (14 + n - 1) / n);
    EXPECT_EQ(interval({hand::load(hand::v(1), hand::s(1)), hand::add(hand::v(2), hand::v(1), hand::of(1)),
                        hand::store(hand::v(2), hand::s(1), 8 * n), hand::s_add(hand::s(1), hand::s(1), 8)},
                       {hand::s(1)}),
              bound)
        << n;
  }
}

TEST(ModuloScheduler, UnitsBoundALoopByTheirRate) {
  const auto reduce = [](int operations) {
    std::vector<registers::Operation> body{hand::load(hand::v(1), hand::s(1))};
    for (int i = 1; i <= operations; ++i) {
      body.push_back(hand::push(hw::isa::Opcode::x_sum_lanes, hand::v(i)));
      body.push_back(hand::pop(hand::v(i + 1), hw::isa::cross_lane_unit));
    }
    body.push_back(hand::store(hand::v(operations + 1), hand::s(1), 0, 1));
    body.push_back(hand::s_add(hand::s(1), hand::s(1), 8));
    return body;
  };
  // One every eight cycles, in spite of the latency of a hundred, for any number in sequence.
  for (const int operations : {1, 2, 3}) EXPECT_EQ(interval(reduce(operations), {hand::s(1)}, {1}), 8 * operations);
}

TEST(ModuloScheduler, AMatrixUnitTakesARegisterEveryEightCycles) {
  std::vector<registers::Operation> body;
  for (int i = 0; i < 6; ++i) {
    body.push_back(hand::load(hand::v(1 + i), hand::s(1), 8 * i));
    body.push_back(hand::push(hw::isa::Opcode::mxu_lhs, hand::v(1 + i)));
  }
  for (int i = 0; i < 6; ++i) {
    body.push_back(hand::pop(hand::v(11 + i), 0));
    body.push_back(hand::store(hand::v(11 + i), hand::s(2), 8 * i, 1));
  }
  body.push_back(hand::s_add(hand::s(1), hand::s(1), 48));
  body.push_back(hand::s_add(hand::s(2), hand::s(2), 48));
  EXPECT_EQ(interval(body, {hand::s(1), hand::s(2)}), 48);
}

TEST(ModuloScheduler, ValuesLiveNoLongerThanTheyNeed) {
  // 64 registers through a matrix unit, all of them loaded before the first push as it is written.
  std::vector<registers::Operation> body;
  for (int i = 0; i < 64; ++i) body.push_back(hand::load(hand::v(1 + i), hand::s(1), 8 * i));
  for (int i = 0; i < 64; ++i) {
    body.push_back(hand::push(hw::isa::Opcode::mxu_lhs, hand::v(1 + i)));
    if (i >= 20) body.push_back(hand::pop(hand::v(80 + i), 0));
  }
  for (int i = 64; i < 84; ++i) body.push_back(hand::pop(hand::v(80 + i), 0));
  for (int i = 20; i < 84; ++i) body.push_back(hand::store(hand::v(80 + i), hand::s(2), 8 * i, 1));
  const Scheduled scheduled = modulo_schedule(body, {hand::s(1), hand::s(2)}, {1}, 8);
  ASSERT_TRUE(scheduled.schedule);
  EXPECT_EQ(scheduled.schedule->interval, 512);
  const RegisterBudget alive =
      max_alive(hw::the_tpu_v3(), scheduled.body.operations, scheduled.body.renamed, *scheduled.schedule);
  EXPECT_LE(alive[std::size_t(registers::RegisterClass::vector)], 8);
}

TEST(ModuloScheduler, ALongerIntervalTakesFewerRegisters) {
  // The loaded value is needed after a hundred cycles too: in twelve intervals of eight, twelve times.
  const std::vector<registers::Operation> body{
      hand::load(hand::v(1), hand::s(1)),
      hand::push(hw::isa::Opcode::x_max_lanes, hand::v(1)),
      hand::pop(hand::v(2), hw::isa::cross_lane_unit),
      hand::op(hw::isa::Opcode::v_sub_f32, hand::v(3), hand::of(hand::v(1)), hand::of(hand::v(2))),
      hand::store(hand::v(3), hand::s(1), 0, 1),
      hand::s_add(hand::s(1), hand::s(1), 8)};
  EXPECT_EQ(modulo_schedule(body, {hand::s(1)}, {1}, 32).schedule->interval, 8);
  const auto few = modulo_schedule(body, {hand::s(1)}, {1}, 6).schedule;
  ASSERT_TRUE(few);
  EXPECT_GT(few->interval, 100 / 6);
  EXPECT_LT(few->interval, 40);
  EXPECT_FALSE(modulo_schedule(body, {hand::s(1)}, {1}, 1).schedule);
}

/// Bodies of loads, sums, units and stores.
std::vector<registers::Operation> random_body() {
  std::vector<registers::Operation> body;
  const int operations = *rc::gen::inRange(1, 40);
  int values = 1;
  body.push_back(hand::load(hand::v(1), hand::s(1)));
  const auto any = [&] { return hand::v(*rc::gen::inRange(1, values + 1)); };
  for (int i = 0; i < operations; ++i) {
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        body.push_back(hand::load(hand::v(++values), hand::s(1), *rc::gen::inRange(0, 64)));
        break;
      case 1:
        body.push_back(hand::store(any(), hand::s(1), *rc::gen::inRange(0, 64), *rc::gen::inRange(0, 2)));
        break;
      case 2:
        body.push_back(hand::push(hw::isa::Opcode::x_max_lanes, any()));
        body.push_back(hand::pop(hand::v(++values), hw::isa::cross_lane_unit));
        break;
      case 3:
        body.push_back(hand::op(hw::isa::Opcode::e_exp, hand::v(0), hand::of(0), hand::of(any())));
        body.push_back(hand::pop(hand::v(++values), hw::isa::transcendental_unit));
        break;
      default: {
        const registers::Register x = any(), y = any();
        body.push_back(hand::add(hand::v(++values), x, hand::of(y)));
      }
    }
  }
  if (*rc::gen::inRange(0, 2) == 1) body.push_back(hand::s_add(hand::s(1), hand::s(1), 8));
  return body;
}

TEST(ModuloScheduler, NoScheduleBreaksADependenceOrFillsASlotTwice) {
  EXPECT_TRUE(rc::check([] {
    const Scheduled scheduled = modulo_schedule(random_body(), {hand::s(1)}, {}, 1000);
    RC_ASSERT(scheduled.schedule.has_value());
    const auto& [interval, cycle] = *scheduled.schedule;
    for (const Dependence& d : scheduled.graph.dependences()) {
      if (d.from >= scheduled.graph.operations() || d.to >= scheduled.graph.operations()) continue;
      RC_ASSERT(cycle[std::size_t(d.to)] + d.distance * interval >= cycle[std::size_t(d.from)] + d.latency);
    }
    std::vector<std::array<int, 7>> used(std::size_t(interval), std::array<int, 7>{});
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const auto slot = std::size_t(scheduled.body.operations[i].info().slot);
      RC_ASSERT(++used[std::size_t(cycle[i] % interval)][slot] <= (slot < 2 ? 2 : 1));
    }
  }));
}

TEST(ModuloScheduler, ResultsLeaveInTheOrderOfTheirPushesInAnyInterleavingOfIterations) {
  EXPECT_TRUE(rc::check([] {
    const Scheduled scheduled = modulo_schedule(random_body(), {hand::s(1)}, {}, 1000);
    RC_ASSERT(scheduled.schedule.has_value());
    const auto& [interval, cycle] = *scheduled.schedule;
    for (const int unit : {hw::isa::cross_lane_unit, hw::isa::transcendental_unit}) {
      std::vector<std::pair<int, int>> pushes, pops;  // cycle, number of the result
      for (int iteration = 0; iteration < 30; ++iteration) {
        int pushed = iteration * 1000, popped = pushed;
        for (std::size_t i = 0; i < cycle.size(); ++i) {
          const registers::Operation& operation = scheduled.body.operations[i];
          if (registers::unit_of(operation) != unit) continue;
          const int when = cycle[i] + iteration * interval;
          registers::is_pop(operation) ? pops.emplace_back(when, popped++) : pushes.emplace_back(when, pushed++);
        }
      }
      std::ranges::sort(pushes);
      std::ranges::sort(pops);
      for (std::size_t i = 0; i < pushes.size(); ++i) RC_ASSERT(pushes[i].second == pops[i].second);
    }
  }));
}

/// Cycles of a kernel.
std::int64_t run(const hw::isa::Program& program, base::Cycles* waited = nullptr) {
  hw::memory::DeviceMemory hbm(hw::the_tpu_v3().hbm.capacity_per_core);
  hw::bundle::BundleRunOptions options;
  options.functional = false;
  options.limit = base::Cycles(1'000'000);
  const hw::bundle::BundleRunResult result = hw::bundle::run_bundles(hw::the_tpu_v3(), program, hbm, options);
  if (waited != nullptr) {
    *waited = result.stalls[std::size_t(hw::bundle::Stall::matrix_operands)] +
              result.stalls[std::size_t(hw::bundle::Stall::matrix_results)];
  }
  return result.cycles.value();
}

/// A product of rows by 128 x 128 weight tiles, as many as `trips`, 16 registers each on both units.
hw::isa::Program matrix_loop(int trips) {
  builder::KernelBuilder b(hw::the_tpu_v3(), "product");
  const auto rows = b.vmem_rows(4096), weights = b.vmem_rows(4096), sums = b.vmem_rows(4096);
  const auto push_weights = [&](int i) {
    for (const int unit : {0, 1}) b.push_weights(unit, b.load({{}, weights.row + 8 * (2 * i + unit), weights.buffer}));
  };
  for (int i = 0; i < 16; ++i) push_weights(i);
  for (const int unit : {0, 1}) b.latch(unit);
  b.loop(trips, {registers::LoopSchedule::pipelined, {sums.buffer}}, [&] {
    for (int i = 0; i < 34; ++i) {
      if (i < 16) {
        const registers::VectorReg lhs = b.load({{}, rows.row + 8 * i, rows.buffer});
        for (const int unit : {0, 1}) b.push_lhs(unit, lhs);
        push_weights(i);
      }
      if (i == 15) {
        for (const int unit : {0, 1}) b.latch(unit);
      }
      if (i < 18) continue;
      for (const int unit : {0, 1}) {
        const registers::RowAddress at{{}, sums.row + 8 * (2 * i + unit), sums.buffer};
        b.store(at, b.op(hw::isa::Opcode::v_add_f32, b.load(at), b.pop(unit)));
      }
    }
  });
  return std::move(b).finish();
}

TEST(ModuloScheduler, MatrixUnitsNeverWaitInTheSteadyState) {
  base::Cycles few_waited, many_waited;
  const std::int64_t few = run(matrix_loop(100), &few_waited), many = run(matrix_loop(200), &many_waited);
  EXPECT_EQ(few_waited, many_waited);
  // 16 registers of 8 cycles an iteration; the branch's penalty is shared by several.
  EXPECT_GE(many - few, 100 * 128);
  EXPECT_LE(many - few, 100 * 128 * 104 / 100);
}

TEST(ModuloScheduler, ALoopOfTheBuilderRunsAtItsInterval) {
  const auto cycles = [](int trips, bool in_register) {
    builder::KernelBuilder b(hw::the_tpu_v3(), "daxpy");
    const auto x = b.vmem_rows(8192), y = b.vmem_rows(8192);
    const registers::ScalarReg from = b.constant(x.row), to = b.constant(y.row), count = b.constant(trips);
    if (in_register) b.assign(count, hw::isa::Opcode::s_add, count, 0);
    b.loop(in_register ? registers::ScalarOperand(count) : registers::ScalarOperand(trips),
           {registers::LoopSchedule::pipelined, {}}, [&] {
             const registers::VectorReg product = b.op(hw::isa::Opcode::v_mul_f32, b.load({from, 0, x.buffer}), 2.5F);
             b.store({to, 0, y.buffer}, b.op(hw::isa::Opcode::v_add_f32, product, b.load({to, 0, y.buffer})));
             b.assign(from, hw::isa::Opcode::s_add, from, 8);
             b.assign(to, hw::isa::Opcode::s_add, to, 8);
           });
    return run(std::move(b).finish());
  };
  // Two cycles an iteration, some per cent of branches, and a few for filling and draining.
  for (const int trips : {2, 3, 10, 50, 200, 1000})
    EXPECT_LE(cycles(trips, false), 2 * trips * 104 / 100 + 30) << trips;
  for (const int trips : {200, 1000}) EXPECT_LE(cycles(trips, true), 2 * trips * 120 / 100 + 500) << trips;
}

TEST(ModuloScheduler, ABodyOfThousandsOfOperationsIsScheduledAtItsBound) {
  std::vector<registers::Operation> body;
  for (int i = 0; i < 2500 / 5; ++i) {
    const int first = 10 + 4 * i;
    body.push_back(hand::load(hand::v(first), hand::s(1), 8 * i));
    body.push_back(hand::load(hand::v(first + 1), hand::s(2), 8 * i, 1));
    body.push_back(
        hand::op(hw::isa::Opcode::v_mul_f32, hand::v(first + 2), hand::of(hand::v(first)), hand::of(0x40200000)));
    body.push_back(hand::add(hand::v(first + 3), hand::v(first + 2), hand::of(hand::v(first + 1))));
    body.push_back(hand::store(hand::v(first + 3), hand::s(2), 8 * i, 1));
  }
  EXPECT_EQ(interval(body, {hand::s(1), hand::s(2)}, {1}), 1000);
}

}  // namespace
}  // namespace podsim::sw::codegen::schedule
