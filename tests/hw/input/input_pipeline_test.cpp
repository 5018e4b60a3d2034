// SPDX-License-Identifier: Apache-2.0
#include "hw/input/input_pipeline.h"

#include <gtest/gtest.h>

#include "base/dice.h"
#include "base/systemc/systemc_time.h"
#include "hw/input/pipeline_recurrence.h"

namespace podsim::hw::input {
namespace {

std::vector<Stage> random_stages() {
  return {{"read", base::Duration(0.6e-3), 0.5, 1},
          {"decode", base::Duration(1e-3), 1, 2},
          {"augment", base::Duration(0.9e-3), 0.2, 1},
          {"batch", base::Duration(0.3e-3), 0, 3}};
}

/// A consumer that works on each batch for a random time and takes the next one when it is prepared.
class Consumer : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Consumer);
  Consumer(sc_core::sc_module_name name, InputPipeline& pipeline, std::int64_t batches, std::uint64_t seed)
      : sc_module(name), pipeline_(pipeline), batches_(batches), dice_(seed) {
    SC_THREAD(consume);
  }
  std::int64_t taken = 0, out_of_order = 0;
  std::vector<base::Time> times;  ///< of the first batches

 private:
  void consume() {
    while (taken < batches_) {
      while (pipeline_.empty()) wait(pipeline_.batch_prepared());
      if (pipeline_.take() != taken) ++out_of_order;
      ++taken;
      if (times.size() < 10'000) times.push_back(base::systemc::now());
      wait(base::systemc::to_sc_time(base::Time(dice_.between(0, 2'000'000'000))));
    }
  }
  InputPipeline& pipeline_;
  std::int64_t batches_;
  base::Dice dice_;
};

TEST(InputPipeline, LosesAndRepeatsNoneOfAMillionBatches) {
  InputPipeline pipeline("pipeline", random_stages(), 2, 1, 0, {});
  Consumer consumer("consumer", pipeline, 1'000'000, 4);
  sc_core::sc_start();
  EXPECT_EQ(consumer.taken, 1'000'000);
  EXPECT_EQ(consumer.out_of_order, 0);
}

/// The recurrence is the oracle: it has no events.
TEST(InputPipeline, TakesTheTimesOfTheRecurrence) {
  constexpr std::int64_t batches = 10'000;
  InputPipeline pipeline("pipeline", random_stages(), 2, 9, 5, {});
  Consumer consumer("consumer", pipeline, batches, 4);
  sc_core::sc_start();
  PipelineRecurrence recurrence(random_stages(), 2, 9, 5);
  base::Dice dice(4);
  base::Time free;
  for (std::int64_t n = 0; n < batches; ++n) {
    const base::Time taken = std::max(free, recurrence.prepare());
    recurrence.take(taken);
    ASSERT_EQ(consumer.times[std::size_t(n)], taken) << n;
    free = taken + base::Time(dice.between(0, 2'000'000'000));
  }
}

TEST(InputPipeline, RestsWhenItsQueuesAreFull) {
  InputPipeline pipeline("pipeline", random_stages(), 2, 1, 0, {});
  sc_core::sc_start();  // ends when nothing happens any more
  EXPECT_EQ(pipeline.prepared(), 2);
  EXPECT_EQ(pipeline.take(), 0);
  EXPECT_EQ(pipeline.take(), 1);
  sc_core::sc_start();
  EXPECT_EQ(pipeline.prepared(), 4);
}

}  // namespace
}  // namespace podsim::hw::input
