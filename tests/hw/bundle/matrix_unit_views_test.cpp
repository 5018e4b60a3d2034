// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "tests/hw/bundle/matrix_unit_driver.h"
#include "tests/hw/bundle/random_register.h"

/// Both views of a matrix unit behave equally, cycle for cycle and bit for bit, under any operations of a core.
namespace podsim::hw::bundle {
namespace {

using enum isa::Opcode;
using Kind = results::Readiness::Kind;

/// Distribution of a stream of random calls.
struct Habits {
  double pop = 0.3;         ///< probability of a pop if there are results
  double weights = 0.5;     ///< probability of weights before LHS registers
  double transposed = 0.3;  ///< share of transposed tiles
  double mistakes = 0.03;   ///< share of pushes that ignore the rules
  double pauses = 0.1;
  double long_pauses = 0.01;
};

/// A core that makes the same calls to both views and compares the results. It tracks the rules of pushes separately.
class TwoViews {
 public:
  TwoViews(const MatrixUnitMachine& machine, const Habits& habits, std::uint32_t seed, bool data)
      : event_(matrix::MatrixUnitView::event, machine),
        rows_(matrix::MatrixUnitView::rows, machine),
        habits_(habits),
        random_(seed),
        words_(seed),
        data_(data) {}

  void run(int calls) {
    for (int i = 0; i < calls; ++i) {
      if (chance(habits_.mistakes)) compare_push(any_opcode());
      if (results_ > 0 && chance(habits_.pop)) {
        pop();
      } else {
        push(next_opcode());
      }
      if (chance(habits_.pauses)) now_ += base::Cycles(between(1, 40));
      if (chance(habits_.long_pauses)) now_ += base::Cycles(between(500, 3000));
      RC_ASSERT(event_.unit().busy(now_).value() == rows_.unit().busy(now_).value());
    }
    while (results_ > 0) pop();
    RC_ASSERT(event_.unit().ready_to_pop(now_).kind == Kind::illegal);
    RC_ASSERT(rows_.unit().ready_to_pop(now_).kind == Kind::illegal);
  }

 private:
  bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
  std::int64_t between(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  isa::Opcode any_opcode() {
    constexpr isa::Opcode opcodes[] = {mxu_lhs, mxu_weights, mxu_weights_transposed, mxu_latch};
    return opcodes[between(0, 3)];
  }
  isa::Opcode next_opcode() {
    const bool complete = registers_ == 16;
    if (complete && (!latched_ || chance(0.4))) return mxu_latch;
    if (latched_ && (complete || !chance(habits_.weights))) return mxu_lhs;
    if (registers_ == 0) transposed_ = chance(habits_.transposed);
    return transposed_ ? mxu_weights_transposed : mxu_weights;
  }
  bool legal(isa::Opcode opcode) const {
    if (opcode == mxu_lhs) return latched_;
    if (opcode == mxu_latch) return registers_ == 16;
    return registers_ < 16 && (registers_ == 0 || transposed_ == (opcode == mxu_weights_transposed));
  }

  results::Readiness compare_push(isa::Opcode opcode) {
    const results::Readiness a = event_.unit().ready_to_push(opcode, now_),
                             b = rows_.unit().ready_to_push(opcode, now_);
    RC_ASSERT(int(a.kind) == int(b.kind));
    RC_ASSERT((a.kind == Kind::illegal) == !legal(opcode));
    RC_ASSERT(a.cycle.value() == b.cycle.value());
    return a;
  }

  void push(isa::Opcode opcode) {
    const results::Readiness ready = compare_push(opcode);
    if (ready.kind == Kind::never) {
      RC_ASSERT(results_ > 0);
      return pop();
    }
    now_ = ready.cycle;
    if (chance(habits_.pauses)) now_ += base::Cycles(between(0, 10));
    count(opcode);
    if (data_) operand_ = chance(0.5) ? words_.numbers() : words_.vector();
    const vector::VectorRegister* x = data_ && opcode != mxu_latch ? &operand_ : nullptr;
    event_.unit().push(opcode, now_, x, 0, nullptr);
    rows_.unit().push(opcode, now_, x, 0, nullptr);
    now_ += base::Cycles(chance(0.9) ? 1 : 0);  // now and then twice in a cycle
  }

  void count(isa::Opcode opcode) {
    if (opcode == mxu_lhs) ++results_;
    if (opcode == mxu_weights || opcode == mxu_weights_transposed) ++registers_;
    if (opcode != mxu_latch) return;
    latched_ = true;
    registers_ = 0;
  }

  void pop() {
    const results::Readiness a = event_.unit().ready_to_pop(now_), b = rows_.unit().ready_to_pop(now_);
    RC_ASSERT(int(a.kind) == int(Kind::at));
    RC_ASSERT(int(b.kind) == int(Kind::at));
    RC_ASSERT(a.cycle.value() == b.cycle.value());
    now_ = a.cycle;
    vector::VectorRegister x, y;
    event_.unit().pop(now_, data_ ? &x : nullptr);
    rows_.unit().pop(now_, data_ ? &y : nullptr);
    if (data_) RC_ASSERT(x.words == y.words);
    --results_;
    now_ += base::Cycles(1);
  }

  MatrixUnitDriver event_, rows_;
  Habits habits_;
  std::mt19937 random_;
  RandomWords words_;
  bool data_;
  base::Cycles now_;
  int registers_ = 0, results_ = 0;
  bool latched_ = false, transposed_ = false;
  vector::VectorRegister operand_;
};

MatrixUnitMachine any_machine() {
  return {.operand_fifo = *rc::gen::element(1, 2, 3, 4, 7, 40),
          .result_fifo = *rc::gen::element(1, 2, 5, 17, 18, 32),
          .skew = *rc::gen::element(7, 8, 11, 30),
          .weight_rows = *rc::gen::element(1, 1, 2, 4, 8)};
}
Habits any_habits() {
  return {.pop = *rc::gen::element(0.0, 0.05, 0.3, 0.6, 1.0),
          .weights = *rc::gen::element(0.2, 0.5, 0.9),
          .transposed = *rc::gen::element(0.0, 0.5, 1.0),
          .pauses = *rc::gen::element(0.0, 0.1, 0.7),
          .long_pauses = *rc::gen::element(0.0, 0.03)};
}

RC_GTEST_PROP(MatrixUnitViews, AgreeOnEveryCycle, ()) {
  TwoViews(any_machine(), any_habits(), *rc::gen::arbitrary<std::uint32_t>(), false).run(*rc::gen::inRange(1, 200));
}

RC_GTEST_PROP(MatrixUnitViews, AgreeOnEveryBit, ()) {
  // A tile and a few registers are 50 calls; the row view takes its time with data.
  TwoViews(any_machine(), any_habits(), *rc::gen::arbitrary<std::uint32_t>(), true).run(*rc::gen::inRange(50, 90));
}

}  // namespace
}  // namespace podsim::hw::bundle
