// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/matrix_unit_trace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "tests/hw/bundle/matrix_unit_driver.h"

namespace podsim::hw::bundle::matrix {
namespace {

using enum isa::Opcode;

/// Keeps changes as "value@cycle value@cycle ..." per signal, and refuses to go back in time as a VCD does.
class ChangeSink : public base::trace::ProbeSink {
 public:
  bool wants(std::string_view) const override { return true; }
  int declare(std::string_view scope, std::string_view name, base::trace::SignalKind, int) override {
    names_.push_back(std::string(scope) + "." + std::string(name));
    return int(names_.size()) - 1;
  }
  void change(int id, base::Time now, std::int64_t value) override { keep(id, now, std::to_string(value)); }
  void change(int id, base::Time now, double value) override { keep(id, now, fmt::format("{}", value)); }
  void change(int id, base::Time now, std::string_view value) override { keep(id, now, std::string(value)); }
  void expect(base::Time, base::trace::Forecast&) override {}
  void keep(std::shared_ptr<base::trace::Forecast>) override {}

  std::map<std::string, std::string> histories;
  bool in_order = true;
  base::Time last;

 private:
  void keep(int id, base::Time now, const std::string& value) {
    in_order = in_order && now >= last;
    last = now;
    std::string& history = histories[names_[std::size_t(id)]];
    history += fmt::format("{}{}@{}", history.empty() ? "" : " ", value, now.value() / 1000);
  }
  std::vector<std::string> names_;
};

class MatrixUnitTraces : public ::testing::TestWithParam<MatrixUnitView> {};
INSTANTIATE_TEST_SUITE_P(Views, MatrixUnitTraces, ::testing::Values(MatrixUnitView::event, MatrixUnitView::rows),
                         [](const auto& view) { return view.param == MatrixUnitView::event ? "event" : "rows"; });

TEST_P(MatrixUnitTraces, ShowATileAndARegisterOnTheirWay) {
  ChangeSink sink;
  MatrixUnitDriver core(GetParam(), {}, {&sink, nullptr, "core0.mxu0"});
  core.push_tile();
  core.push(mxu_latch);
  core.push(mxu_lhs);
  core.wait_until(270);
  core.pop();
  core.unit().show_until(base::Cycles(400));
  // The weights start at 1, 9, .. 121; the latch, pushed at 90, waits for them until 129 and the LHS register with it.
  EXPECT_EQ(sink.histories["core0.mxu0.state"], "idle@0 load weights@1 wait weights@91 stream@129 drain@137 idle@264");
  EXPECT_EQ(sink.histories["core0.mxu0.weight_fifo"], "1@0 2@2 3@3 4@4 3@97 2@105 1@113 0@121");
  EXPECT_EQ(sink.histories["core0.mxu0.lhs_fifo"], "0@0 1@90 2@91 0@129");
  EXPECT_EQ(sink.histories["core0.mxu0.result_fifo"], "0@0 1@264 0@270");
  EXPECT_EQ(sink.histories["core0.mxu0.tile"], "0@0 1@129");
  // 8 of 128 cycles, from the first multiple of 16 after them until they are 128 cycles back.
  EXPECT_EQ(sink.histories["core0.mxu0.utilisation"], "0@0 0.0625@144 0@272");
  EXPECT_TRUE(sink.in_order);
}

TEST_P(MatrixUnitTraces, NameWhatHoldsTheArrayUp) {
  ChangeSink sink;
  MatrixUnitDriver core(GetParam(), {.result_fifo = 1}, {&sink, nullptr, "mxu"});
  core.push_tile();
  core.push(mxu_latch);
  core.push(mxu_lhs);
  core.push(mxu_lhs);
  core.wait_until(300);
  core.pop();
  core.unit().show_until(base::Cycles(320));
  // The second register has no slot for its result until the pop.
  EXPECT_EQ(sink.histories["mxu.state"],
            "idle@0 load weights@1 wait weights@91 stream@129 results full@137 stream@301 drain@309");
}

TEST_P(MatrixUnitTraces, ShowFullUseWhileTilesFollowEachOther) {
  ChangeSink sink;
  MatrixUnitDriver core(GetParam(), {.result_fifo = 64}, {&sink, nullptr, "mxu"});
  core.push_tile();
  core.push(mxu_latch);
  for (int i = 0; i < 40; ++i) core.push(mxu_lhs);
  core.unit().show_until(base::Cycles(400));
  // From 129 on; the window has 15 of its cycles at 144.
  EXPECT_EQ(sink.histories["mxu.utilisation"],
            "0@0 0.1171875@144 0.2421875@160 0.3671875@176 0.4921875@192 0.6171875@208 0.7421875@224 0.8671875@240 "
            "0.9921875@256 1@272");
}

TEST_P(MatrixUnitTraces, PutTilesAndStallsOnTheTimeline) {
  base::trace::Timeline timeline;
  {
    MatrixUnitDriver core(GetParam(), {}, {nullptr, &timeline, "mxu0"});
    core.push_tile();
    core.push(mxu_latch);
    core.push(mxu_lhs);
    core.unit().show_until(base::Cycles(200));
  }
  std::ostringstream json;
  timeline.write_json(json);
  for (const char* name : {"load weights", "wait weights", "tile 1", "drain"}) {
    EXPECT_NE(json.str().find(name), std::string::npos) << name;
  }
  EXPECT_EQ(json.str().find("idle"), std::string::npos);
}

TEST(RowTrace, ShowsWeightsAndRowsAsDiagonals) {
  ChangeSink sink;
  MatrixUnitDriver core(MatrixUnitView::rows, {}, {&sink, nullptr, "mxu"});
  core.push_tile();
  core.push(mxu_latch);
  core.push(mxu_lhs);
  core.push_tile();
  core.push(mxu_latch);
  core.push(mxu_lhs);
  core.unit().show_until(base::Cycles(1000));
  // Down a row per cycle: the first tile's weights from 1 on, the second's with the latch in 129 and the LHS register.
  for (const int row : {0, 1, 77, 127}) {
    std::string expected = fmt::format("@0 +w1@{}", 1 + row);
    for (int i = 0; i < 8; ++i) expected += fmt::format(" {} w1 +w2@{}", i, 129 + i + row);
    expected += fmt::format(" +w2@{}", 137 + row);
    for (int i = 0; i < 8; ++i) expected += fmt::format(" {} w2@{}", i, 257 + i + row);
    expected += fmt::format(" @{}", 265 + row);
    EXPECT_EQ(sink.histories[fmt::format("mxu.row{:03}", row)], expected);
  }
  EXPECT_TRUE(sink.in_order);
}

/// A random stream of calls, the same for the same seed; `show` is called after each of them.
template <class Show>
void run_stream(MatrixUnitDriver& core, std::uint32_t seed, int calls, Show show) {
  std::mt19937 random(seed);
  core.push_tile();
  core.push(mxu_latch);
  int weights = 0, results = 0;
  for (int i = 0; i < calls; ++i) {
    const auto choice = random() % 8;
    const bool full = core.ready_to_push(mxu_lhs).kind == results::Readiness::Kind::never;
    if (results > 0 && (full || choice < 3)) {
      core.pop(), --results;
    } else if (weights == 16) {
      core.push(mxu_latch), weights = 0;
    } else if (choice < 6 && core.ready_to_push(mxu_weights).kind == results::Readiness::Kind::at) {
      core.push(mxu_weights), ++weights;
    } else if (!full) {
      core.push(mxu_lhs), ++results;
    }
    if (random() % 16 == 0) core.wait_until(core.now() + 100);
    show(base::Cycles(core.now() - 1));
  }
  core.unit().show_until(base::Cycles(core.now() + 500));
}

RC_GTEST_PROP(MatrixUnitTrace, IsTheSameInBothViewsHoweverOftenItIsShown, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const int calls = *rc::gen::inRange(1, 40);
  const MatrixUnitMachine machine{.operand_fifo = *rc::gen::inRange(1, 6), .result_fifo = *rc::gen::inRange(1, 20)};
  ChangeSink event, rows, rows_at_end;
  MatrixUnitDriver a(MatrixUnitView::event, machine, {&event, nullptr, "mxu"});
  MatrixUnitDriver b(MatrixUnitView::rows, machine, {&rows, nullptr, "mxu"});
  MatrixUnitDriver c(MatrixUnitView::rows, machine, {&rows_at_end, nullptr, "mxu"});
  const auto no_later = [](ChangeSink& sink, base::Cycles now) { RC_ASSERT(sink.last.value() <= now.value() * 1000); };
  run_stream(a, seed, calls, [&](base::Cycles now) { a.unit().show_until(now), no_later(event, now); });
  run_stream(b, seed, calls, [&](base::Cycles now) { b.unit().show_until(now), no_later(rows, now); });
  run_stream(c, seed, calls, [](base::Cycles) {});
  RC_ASSERT(event.in_order && rows.in_order && rows_at_end.in_order);
  RC_ASSERT(rows.histories == rows_at_end.histories);
  RC_ASSERT(event.histories.size() == 6U);
  for (const auto& [name, history] : event.histories) RC_ASSERT(history == rows.histories[name]);
}

TEST(MatrixUnitTrace, DoesNotExistUnlessSomeoneLooks) {
  const Machine machine = tpu_v3();
  const CoreTime time(machine.clock);
  EXPECT_EQ(MatrixUnitTrace::make(array_parameters(machine), time, {}), nullptr);
}

}  // namespace
}  // namespace podsim::hw::bundle::matrix
