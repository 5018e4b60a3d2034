// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/session/session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iostream>
#include <vector>

#include "base/diagnostic.h"
#include "base/host/child_process.h"
#include "hw/timing/tile_pipeline.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime::session {
namespace {

using base::Cycles;
using base::Time;
using testing::open_2x2;
using testing::ProgramMaker;
using testing::tile_op;

const sw::TargetMachine& tpu() {
  static const sw::TargetMachine machine = sw::tpu_v3();
  return machine;
}

/// 940 MHz: 47 cycles are 50 ns.
constexpr std::int64_t common_edge_ps = 50'000;

Time at_common_edge(Time time) { return Time((time.value() + common_edge_ps - 1) / common_edge_ps * common_edge_ps); }

SimulationOptions at_detail(Detail detail) {
  SimulationOptions options;
  options.detail = detail;
  return options;
}

/// Ops alone, a number of times.
compiler::Program ops(std::int64_t tiles, int times) {
  ProgramMaker maker;
  const int op = maker.define(tile_op("op", tiles, 40'000, 16, 1024, 20'000));
  for (int time = 0; time < times; ++time) maker.op(op);
  return maker.program();
}

/// The time of steps of such a program, by the recurrence of one op.
Time time_of_ops(const compiler::Program& program, int steps) {
  const Cycles op = hw::timing::simulate_op(tpu(), program.ops[0].tiles).cycles;
  return tpu().core_clock().time_of(op * std::int64_t(program.items.size()) * steps);
}

/// All times of a result.
std::vector<Time> times_of(const RunResult& result) {
  std::vector<Time> all = result.step_times;
  for (const ItemResult& item : result.items) all.push_back(item.duration);
  for (const CollectiveResult& collective : result.collectives) all.push_back(collective.time);
  return all;
}

/// An infeed, ops and all-reduces of all cores.
compiler::Program fed_program() {
  ProgramMaker maker;
  const int a = maker.define(tile_op("a", 12, 40'000, 16, 1024, 20'000));
  return maker.infeed(300'000, 2).op(a).all_reduce(1'000'000).op(a).all_reduce(30'000).program();
}

/// An op and all-reduces of the rows of 4x4 chips, with an asynchronous one.
compiler::Program program_of_rows() {
  ProgramMaker maker;
  const int a = maker.define(tile_op("a", 40, 200'000, 0, 64, 100'000));
  std::vector<std::vector<std::int32_t>> rows(4);
  for (std::int32_t core = 0; core < 32; ++core) rows[std::size_t(core / 8)].push_back(core);
  const int along = maker.define_all_reduce(400'000, rows);
  return maker.op(a).collective(along).asynchronous().op(a).done().op(a).collective(along).program();
}

class SessionAt : public ::testing::TestWithParam<Detail> {};

/// Detail chip too, whose banks are refreshed at times of their own.
class SessionAtAll : public ::testing::TestWithParam<Detail> {};

INSTANTIATE_TEST_SUITE_P(Detail, SessionAt, ::testing::Values(Detail::automatic, Detail::tile, Detail::replay),
                         [](const auto& instance) { return to_string(instance.param); });
INSTANTIATE_TEST_SUITE_P(Detail, SessionAtAll,
                         ::testing::Values(Detail::automatic, Detail::tile, Detail::replay, Detail::chip),
                         [](const auto& instance) { return to_string(instance.param); });

// Nothing overlaps: all of them take the sum of each alone, from one common edge to the next.
TEST_P(SessionAt, ProgramsInTurnsTakeTheSumOfEachAlone) {
  const compiler::Program train = ops(12, 3), evaluate = ops(7, 1);
  Session session(tpu(), open_2x2(), at_detail(GetParam()));
  const int first = session.add(train), second = session.add(evaluate);
  Time end;
  for (int round = 0; round < 3; ++round) {
    for (const auto& [number, program, steps] : {std::tuple(first, &train, 4), std::tuple(second, &evaluate, 2)}) {
      const Session::Answer answer = session.run({.program = number, .steps = steps});
      EXPECT_EQ(answer.begin, at_common_edge(end));
      EXPECT_EQ(answer.end - answer.begin, time_of_ops(*program, steps));
      EXPECT_EQ(answer.result.steps, steps);
      end = answer.end;
    }
  }
  EXPECT_EQ(session.now(), end);
}

// The oracle is each program alone in a session of its own.
TEST_P(SessionAt, OnAnIdleSliceAProgramTakesWhatItTakesAloneWheneverItBegins) {
  const noc::Topology slice({4, 4}, {true, true});
  const compiler::Program programs[] = {fed_program(), ops(12, 3), program_of_rows()};
  Session session(tpu(), slice, at_detail(GetParam()));
  std::vector<int> numbers;
  for (const compiler::Program& program : programs) numbers.push_back(session.add(program));
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Time arrival = session.now() + Time(1'000'000'007);  // hosts and links have nothing left to do by then
      const Session::Answer answer = session.run({numbers[i], 3, arrival});
      Session own(tpu(), slice, at_detail(GetParam()));
      const Session::Answer alone = own.run({own.add(programs[i]), 3});
      EXPECT_EQ(answer.begin, at_common_edge(arrival));
      EXPECT_EQ(answer.end - answer.begin, alone.end) << i;
      EXPECT_EQ(times_of(answer.result), times_of(alone.result)) << i;
      EXPECT_EQ(answer.result.link_bytes, alone.result.link_bytes) << i;
      EXPECT_EQ(answer.result.statistics.find("ici.messages")->value(),
                alone.result.statistics.find("ici.messages")->value());
    }
  }
}

TEST_P(SessionAtAll, AProgramThatCannotProceedSaysSo) {
  ProgramMaker maker;
  hw::TileOp large = tile_op("fusion.13", 1, 1000, 1, 8, 1000);
  large.vmem = tpu().vmem + base::Bytes(1);
  const compiler::Program fits = ops(1, 1), overflows = maker.op(maker.define(large)).program();
  Session session(tpu(), open_2x2(), at_detail(GetParam()));
  session.run({session.add(fits), 1});
  EXPECT_THROW(session.run({session.add(overflows), 1}), base::SimulationError);
}

TEST_P(SessionAtAll, TheSecondRequestOfAProgramFindsTheBatchThatTheHostHasPrepared) {
  ProgramMaker maker;
  const int op = maker.define(tile_op("long", 200, 400'000, 0, 64, 100'000));
  const compiler::Program program = maker.infeed(100'000, 3).op(op).program(), other = ops(1, 1);
  Session session(tpu(), open_2x2(), at_detail(GetParam()));
  const int number = session.add(program), between = session.add(other);
  const auto infeed = [&](Time arrival = {}) {
    return base::to_duration(session.run({number, 1, arrival}).result.infeed).si();
  };
  // A copy of 100 kB at 172 GB/s and 1 us for each tensor; without a batch, at least its transfer over PCIe before
  // that.
  const double copy = 100'000 / 172e9 + 3e-6, pcie = 100'000 / tpu().host.pcie_rate.si();
  EXPECT_GT(infeed(), copy + pcie);
  EXPECT_NEAR(infeed(), copy, 2.0 / tpu().clock.si());
  session.run({between, 1});
  EXPECT_GT(infeed(session.now() + Time(1'000'000'000)), copy + pcie) << "it was dropped for another program";
}

// The queue of one server: begin(n) = max(arrival(n), end(n - 1)).
RC_GTEST_PROP(Session, RequestsBeginInTheirOrderWhenTheyHaveArrivedAndTheSliceIsFree, ()) {
  const compiler::Program programs[] = {ops(1, 1), ops(9, 2)};
  SimulationOptions options = at_detail(Detail::replay);
  options.fold = *rc::gen::arbitrary<bool>();  // otherwise each is simulated
  options.launch = Time(*rc::gen::inRange(0, 100'000'000));
  Session session(tpu(), open_2x2(), options);
  const int first = session.add(programs[0]);
  session.add(programs[1]);
  Time arrival, end;
  for (int request = *rc::gen::inRange(1, 8); request > 0; --request) {
    arrival += Time(*rc::gen::inRange(0, 200'000'000));
    const int which = *rc::gen::inRange(0, 2), steps = *rc::gen::inRange(1, 4);
    const Session::Answer answer = session.run({first + which, steps, arrival});
    RC_ASSERT(answer.begin == at_common_edge(std::max(arrival, end) + options.launch));
    RC_ASSERT(answer.end == answer.begin + time_of_ops(programs[which], steps));
    end = answer.end;
  }
}

// Progress is reported only for items that are simulated.
TEST(Session, ARequestThatRepeatsOneIsNotSimulatedAgainUnlessAHostFeedsIt) {
  int reports = 0;
  SimulationOptions options = at_detail(Detail::replay);
  options.progress = [&](double) { ++reports; };
  Session session(tpu(), open_2x2(), options);
  const int alone = session.add([] { return ops(2, 3); }), fed = session.add(fed_program);
  const auto reports_of = [&](int program, int steps) {
    reports = 0;
    session.run({program, steps});
    return reports;
  };
  EXPECT_EQ(reports_of(alone, 2), 6) << "an item each";
  EXPECT_EQ(reports_of(fed, 1), 5);
  EXPECT_EQ(reports_of(alone, 2), 0);
  EXPECT_EQ(reports_of(alone, 1), 3) << "other steps";
  EXPECT_EQ(reports_of(fed, 1), 5) << "its batch may be there already";
}

TEST(Session, AProgramIsCompiledForItsFirstRequestAndKept) {
  Session session(tpu(), open_2x2());
  int compiled = 0;
  const int number = session.add([&] {
    ++compiled;
    return ops(2, 1);
  });
  session.add([]() -> compiler::Program { throw std::logic_error("nothing asks for it"); });
  EXPECT_EQ(compiled, 0);
  for (int request = 0; request < 3; ++request) session.run({number, 1});
  EXPECT_EQ(compiled, 1);
}

// The oracle is a process of its own for each session.
TEST(Session, SeveralInOneProcessGiveWhatSeparateProcessesGive) {
  const noc::Topology slice({4, 4}, {true, true});
  const compiler::Program programs[] = {fed_program(), program_of_rows()};
  const auto text_of = [](const Session::Answer& answer) {
    std::string text = fmt::format("{} {}", answer.begin.value(), answer.end.value());
    for (const Time time : times_of(answer.result)) text += fmt::format(" {}", time.value());
    return text + "\n";
  };
  std::string in_turns;
  Session first(tpu(), slice, at_detail(Detail::automatic)), second(tpu(), slice, at_detail(Detail::replay));
  for (int request = 0; request < 2; ++request) {
    for (Session* session : {&first, &second}) {
      if (request == 0) session->add(programs[session == &second]);
      in_turns += text_of(session->run({0, 2}));
    }
  }
  std::vector<std::string> alone[2];
  for (int process = 0; process < 2; ++process) {
    const base::host::ProcessOutput output = base::host::run_in_child([&] {
      Session session(tpu(), slice, at_detail(process == 0 ? Detail::automatic : Detail::replay));
      session.add(programs[process]);
      for (int request = 0; request < 2; ++request) std::cout << text_of(session.run({0, 2}));
      std::cout.flush();
      return 0;
    });
    const std::size_t end = output.out.find('\n') + 1;
    alone[process] = {output.out.substr(0, end), output.out.substr(end)};
  }
  EXPECT_EQ(in_turns, alone[0][0] + alone[1][0] + alone[0][1] + alone[1][1]);
}

TEST(Session, SettlingEndsWhatIsOnItsWayToTheHost) {
  const std::int64_t bytes = 16'000'000;
  Session session(tpu(), open_2x2());
  const compiler::Program program = ProgramMaker().outfeed(bytes, 1).program();
  const Session::Answer answer = session.run({session.add(program), 1});
  session.settle();
  // PCIe carries the results of the chip's two cores one after another, from when they are in the queue.
  const double carried = 2.0 * double(bytes) / tpu().host.pcie_rate.si();
  EXPECT_NEAR(base::to_duration(session.now() - answer.end).si(),
              carried + base::Duration(tpu().host.pcie_latency).si(), 1e-9);
}

}  // namespace
}  // namespace podsim::sw::runtime::session
