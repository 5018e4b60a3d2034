// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <fstream>
#include <set>

#include "tests/studies/study_texts.h"

namespace podsim::studies::plan {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;

TEST(StudyPoints, AGridIsTheProductOfItsAxesTheLastFastest) {
  const auto points = points_of_text(resnet_study(R"([axes]
optimizer = ["lars", "adam"]
batch_per_core = [32, 64, 128]
)"));
  EXPECT_EQ(texts(points, "optimizer"), (Texts{"lars", "lars", "lars", "adam", "adam", "adam"}));
  EXPECT_EQ(texts(points, "batch_per_core"), (Texts{"32", "64", "128", "32", "64", "128"}));
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(points[i].position, std::int64_t(i));
}

TEST(StudyPoints, AreCommandLines) {
  const auto points = points_of_text(resnet_study(R"([axes]
"ici.link_rate" = ["328 Gb/s"]
batch_per_core = [32]
machine = ["tpu-v2"]
"core.clock" = ["1 GHz"]
)"));
  EXPECT_EQ(points.front().arguments,
            (Texts{"run", "resnet50", "--machine", "tpu-v2", "--slice", "4x4", "--batch-per-core", "32", "--set",
                   "core.clock=1 GHz", "--set", "ici.link_rate=328 Gb/s"}));
}

TEST(StudyPoints, OfCollectivesAreCommandLinesToo) {
  const auto points = points_of_text(R"(metrics = ["time_s"]
[base]
command = "collective"
kind = "all-reduce"
slice = "5x3"
verify = true
fault = ["dead-link:(0,0)x+", "dead-link:(1,0)x+"]
[axes]
bytes = ["1 MiB", 4096]
algorithm = ["ring", "y-then-x"]
)");
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].arguments,
            (Texts{"collective", "all-reduce", "--bytes", "1 MiB", "--slice", "5x3", "--algorithm", "y-then-x",
                   "--fault", "dead-link:(0,0)x+", "--fault", "dead-link:(1,0)x+", "--verify"}));
  EXPECT_EQ(numbers(points, "bytes"), (Numbers{1048576, 1048576, 4096, 4096}));
}

TEST(StudyPoints, OfTrainingsAreCommandLinesToo) {
  const auto points = points_of_text(R"(metrics = ["time_to_train_s", "start.time_s"]
[base]
command = "train"
workload = "resnet50"
restore = true
[axes]
clients = ["one", "per-host"]
evaluate_every = [0.5, 4]
)");
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[2].arguments,
            (Texts{"train", "resnet50", "--clients", "per-host", "--evaluate-every", "0.5", "--restore"}));
  EXPECT_EQ(numbers(points, "evaluate_every"), (Numbers{0.5, 4, 0.5, 4}));
}

TEST(StudyPoints, NumbersAreInSiUnits) {
  const auto points = points_of_text(resnet_study(R"([axes]
"ici.link_rate" = ["656 Gb/s"]
"ici.hop_latency" = ["300 ns"]
"hbm.capacity_per_core" = ["16 GiB"]
)"));
  EXPECT_EQ(numbers(points, "ici.link_rate"), Numbers{82e9});
  EXPECT_EQ(numbers(points, "ici.hop_latency"), Numbers{3e-7});
  EXPECT_EQ(numbers(points, "hbm.capacity_per_core"), Numbers{17179869184});
}

TEST(StudyPoints, LinearRangesHaveTheirEnds) {
  const auto points = points_of_text(resnet_study(R"([axes]
"ici.link_rate" = { from = "100 Gb/s", to = "400 Gb/s", step = "150 Gb/s" }
)"));
  EXPECT_EQ(texts(points, "ici.link_rate"), (Texts{"100 Gb/s", "250 Gb/s", "400 Gb/s"}));
}

// 0.1 + 0.1 + 0.1 is more than 0.3 in binary.
TEST(StudyPoints, RoundingLeavesOutNoEndOfARange) {
  const auto points = points_of_text(resnet_study(R"([axes]
"compiler.exposed_vector_fraction" = { from = 0.1, to = 0.3, step = 0.1 }
)"));
  EXPECT_EQ(texts(points, "compiler.exposed_vector_fraction"), (Texts{"0.1", "0.2", "0.3"}));
}

TEST(StudyPoints, RangesMayFallAndMayMixUnits) {
  const auto points = points_of_text(resnet_study(R"([axes]
"ici.hop_latency" = { from = "1 us", to = "200 ns", points = 3 }
)"));
  EXPECT_EQ(texts(points, "ici.hop_latency"), (Texts{"1 us", "0.6 us", "0.2 us"}));
}

TEST(StudyPoints, LogarithmicRangesHaveEqualRatios) {
  const auto points = points_of_text(resnet_study(R"([axes]
batch_per_core = { from = 32, to = 256, scale = "log", points = 4 }
)"));
  EXPECT_EQ(texts(points, "batch_per_core"), (Texts{"32", "64", "128", "256"}));
}

// 10 * sqrt(10) = 31.62..., and a batch is a whole number.
TEST(StudyPoints, RangesOfWholeNumbersAreRounded) {
  const auto points = points_of_text(resnet_study(R"([axes]
batch_per_core = { from = 10, to = 100, scale = "log", points = 3 }
)"));
  EXPECT_EQ(texts(points, "batch_per_core"), (Texts{"10", "32", "100"}));
}

TEST(StudyPoints, AxesOfAZipAreTakenTogether) {
  const auto points = points_of_text(resnet_study(R"([axes]
"mxu.size" = [64, 128]
"mxu.count" = [8, 2]
)",
                                                  "mode = \"zip\""));
  EXPECT_EQ(texts(points, "mxu.size"), (Texts{"64", "128"}));
  EXPECT_EQ(texts(points, "mxu.count"), (Texts{"8", "2"}));
}

TEST(StudyPoints, AZipWithinAGridIsOneAxis) {
  const auto points = points_of_text(resnet_study(R"([axes]
batch_per_core = [32, 64]
[[zip]]
"mxu.size" = [64, 128, 256]
"mxu.count" = [8, 2, 1]
)"));
  EXPECT_EQ(texts(points, "batch_per_core"), (Texts{"32", "32", "32", "64", "64", "64"}));
  EXPECT_EQ(texts(points, "mxu.size"), (Texts{"64", "128", "256", "64", "128", "256"}));
  EXPECT_EQ(texts(points, "mxu.count"), (Texts{"8", "2", "1", "8", "2", "1"}));
}

TEST(StudyPoints, OfAListHaveTheBaseWhereTheySayNothing) {
  const auto points = points_of_text(resnet_study(R"([[point]]
slice = "2x2"
batch_per_core = 64
[[point]]
batch_per_core = 8
[[point]]
slice = "8x8"
batch_per_core = 4
)"));
  EXPECT_EQ(texts(points, "slice"), (Texts{"2x2", "4x4", "8x8"}));
  EXPECT_EQ(texts(points, "batch_per_core"), (Texts{"64", "8", "4"}));
}

TEST(StudyPoints, TablesWithinTablesAreKeysWithDots) {
  const auto points = points_of_text(resnet_study(R"([axes.ici]
hop_latency = ["1 us", "2 us"]
remote_dma_latency = { from = "2 us", to = "4 us", step = "1 us" }
[axes.model]
classes = [10]
)"));
  EXPECT_EQ(points.size(), 6U);
  EXPECT_EQ(points.front().axes.back().key, "model.classes");
}

// A 4x4 slice of tpu-v3 has 16 chips and 32 cores: 32 * 32, 32 * 64, ...
TEST(StudyPoints, ConstraintsLeaveOutWhatDoesNotSatisfyAllOfThem) {
  const auto points =
      points_of_text(resnet_study(R"([axes]
batch_per_core = [32, 64, 128, 256]
[derived]
global_batch = "batch_per_core * cores"
)",
                                  R"(constraints = ["global_batch <= 4096", "global_batch / chips > 64"])"));
  EXPECT_EQ(texts(points, "batch_per_core"), (Texts{"64", "128"}));
  EXPECT_EQ(numbers(points, "global_batch"), (Numbers{2048, 4096}));
  EXPECT_EQ(points[0].position, 0);
  EXPECT_EQ(points[1].position, 1);
}

// 2 * 128 * 128 = 32768 multipliers, whatever the size of an array.
TEST(StudyPoints, ADerivedValueNamedAsAKeySetsIt) {
  const auto points = points_of_text(resnet_study(R"([axes]
"mxu.size" = [64, 128, 256]
[derived]
"mxu.count" = "32768 / mxu.size ^ 2"
)",
                                                  R"(constraints = ["mxu.count >= 1"])"));
  EXPECT_EQ(texts(points, "mxu.count"), (Texts{"8", "2"}));
  EXPECT_EQ(points[0].arguments.back(), "mxu.size=64");
  EXPECT_EQ(points[0].arguments[points[0].arguments.size() - 3], "mxu.count=8");
}

TEST(StudyPoints, DerivedQuantitiesAreWrittenWithTheirUnit) {
  const auto points = points_of_text(resnet_study(R"([axes]
"ici.hop_latency" = ["250 ns"]
[derived]
"ici.remote_dma_latency" = "4 * ici.hop_latency"
"core.vmem" = "2 ^ 24"
"ici.link_rate" = "82e9"
)"));
  EXPECT_EQ(texts(points, "ici.remote_dma_latency"), Texts{"1e-06 s"});
  EXPECT_EQ(texts(points, "core.vmem"), Texts{"16777216 B"});
  EXPECT_EQ(texts(points, "ici.link_rate"), Texts{"82000000000 B/s"});
}

// tpu-v2 has one array of 128 a core and two cores a chip; 8x4 is 32 chips.
TEST(StudyPoints, ExpressionsKnowTheMachineTheSliceAndTheWorkload) {
  const auto points = points_of_text(R"(metrics = ["step_time_s"]
[base]
workload = "resnet50"
slice = "8x4"
[axes]
machine = ["tpu-v2", "tpu-v3"]
[derived]
arrays = "cores * mxu.count"
rectangle = "100 * slice_x + 10 * slice_y + slice_z"
image = "model.image_size"
)");
  EXPECT_EQ(numbers(points, "arrays"), (Numbers{64, 128}));
  EXPECT_EQ(numbers(points, "rectangle"), (Numbers{841, 841}));
  EXPECT_EQ(numbers(points, "image"), (Numbers{224, 224}));
}

TEST(StudyPoints, FilesAreLookedForBesideTheStudy) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "podsim_study_files";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "fast.toml") << "[ici]\nlink_rate = \"1 Tb/s\"\n";
  const plan::Study study =
      plan::parse_study(folder / "s.toml", resnet_study("[axes]\nmachine = [\"fast.toml\", \"tpu-v3\"]\n"));
  const auto points = plan::points_of(study);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(points[0].arguments[3], (folder / "fast.toml").string());
  ASSERT_EQ(points[0].files.size(), 1U);
  EXPECT_EQ(points[0].files[0].argument, 3U);
  EXPECT_EQ(points[0].files[0].written, "fast.toml");
  EXPECT_EQ(points[1].arguments[3], "tpu-v3");
  EXPECT_TRUE(points[1].files.empty());
}

TEST(StudyPoints, TheBaselineIsTheBaseWhereItLiesOnTheAxes) {
  const std::string axes = "[axes]\nslice = [\"2x2\", \"4x4\"]\nbatch_per_core = [32, 64]\n";
  const plan::Study of_base = study_of(resnet_study(axes));
  EXPECT_EQ(plan::baseline_position(of_base, plan::points_of(of_base)), 2);
  const plan::Study given = study_of(resnet_study(axes + "[baseline]\nbatch_per_core = 64\n"));
  EXPECT_EQ(plan::baseline_position(given, plan::points_of(given)), 3);
  const plan::Study without = study_of(resnet_study("[axes]\nbatch_per_core = [32, 64]\n"));
  EXPECT_EQ(plan::baseline_position(without, plan::points_of(without)), 0);
}

/// tpu-v3: arrays of 128, links of 656 Gb/s, 82 GB/s.
TEST(StudyPoints, TheBaselineIsTheMachineAsItIsWhereNothingElseIsSaid) {
  const auto baseline_of = [](const std::string& text, const std::string& top = "") {
    const plan::Study study = study_of(resnet_study(text, top));
    return plan::baseline_position(study, plan::points_of(study));
  };
  const std::string axes = "[axes]\n\"mxu.size\" = [64, 128]\n\"ici.link_rate\" = [\"328 Gb/s\", \"82 GB/s\"]\n";
  EXPECT_EQ(baseline_of(axes), 3);
  EXPECT_EQ(baseline_of(axes + "[baseline]\n\"mxu.size\" = 64\n"), 1);
  EXPECT_EQ(baseline_of(axes, "constraints = [\"mxu.size < 100\"]"), 1) << "the nearest that there is";
  EXPECT_EQ(baseline_of("[axes]\n\"mxu.size\" = [32, 64]\n"), 0);
  EXPECT_EQ(baseline_of("[axes]\nmachine = [\"tpu-v2\", \"tpu-v3\"]\n\"mxu.count\" = [2, 1]\n"), 0)
      << "of several machines none is that one";
}

TEST(StudyPoints, NetworkAxesAreThoseOfTheLinks) {
  const plan::Study study = study_of(resnet_study(R"([axes]
"ici.link_rate" = ["1 Tb/s"]
batch_per_core = [32]
"ici.hop_latency" = ["1 us"]
)"));
  EXPECT_EQ(plan::network_axes(study), (Texts{"ici.link_rate", "ici.hop_latency"}));
}

TEST(StudyPoints, TheShippedStudyOfTheLinksHas200) {
  const plan::Study study = plan::read_study("ici");
  EXPECT_EQ(plan::study_size(study), 20 * 10);
  EXPECT_EQ(plan::points_of(study).size(), 200U);
}

TEST(StudyPoints, ManyAreAskedFor) {
  const plan::Study moderate = study_of(resnet_study(R"([axes]
batch_per_core = { from = 1, to = 1000, step = 1 }
"mxu.result_skew_cycles" = { from = 7, to = 106, step = 1 }
)"));
  EXPECT_EQ(plan::study_size(moderate), 100'000);
  EXPECT_NO_THROW(plan::require_moderate_size(moderate));
  const plan::Study million = study_of(resnet_study(R"([axes]
batch_per_core = { from = 1, to = 1000, step = 1 }
"mxu.result_skew_cycles" = { from = 7, to = 1006, step = 1 }
)"));
  EXPECT_EQ(plan::study_size(million), 1'000'000);
  EXPECT_THROW(plan::require_moderate_size(million), base::InputError);
}

TEST(StudyPoints, ANumberOfPointsBeyondAllNumbersIsTheLargest) {
  std::string axes = "[axes]\n";
  for (const char* key : {"batch_per_core", "steps", "mxu.result_skew_cycles", "mxu.operand_fifo_registers"}) {
    axes += fmt::format("\"{}\" = {{ from = 7, to = 99999, step = 1 }}\n", key);
  }
  EXPECT_EQ(plan::study_size(study_of(resnet_study(axes))), INT64_MAX);
}

std::string list_of(const char* key, int count) {
  std::vector<int> values;
  for (int i = 1; i <= count; ++i) values.push_back(8 * i);
  return fmt::format("\"{}\" = [{}]\n", key, fmt::join(values, ", "));
}

RC_GTEST_PROP(StudyPoints, EveryCombinationIsThereOnce, ()) {
  const int batches = *rc::gen::inRange(1, 6), sizes = *rc::gen::inRange(1, 5), steps = *rc::gen::inRange(1, 4);
  const auto points = points_of_text(resnet_study("[axes]\n" + list_of("batch_per_core", batches) +
                                                  list_of("mxu.size", sizes) + list_of("steps", steps)));
  RC_ASSERT(points.size() == std::size_t(batches * sizes * steps));
  std::set<std::vector<std::string>> seen;
  for (const plan::StudyPoint& point : points) RC_ASSERT(seen.insert(point.arguments).second);
}

// The mean of n values from `from` to `to` in equal steps is the middle; of a logarithmic range that of the logarithms.
RC_GTEST_PROP(StudyPoints, RangesAreEven, ()) {
  const int count = *rc::gen::inRange(2, 40), from = *rc::gen::inRange(1, 500), width = *rc::gen::inRange(100, 5000);
  const bool log = *rc::gen::arbitrary<bool>();
  const auto points = points_of_text(resnet_study(fmt::format(
      "[axes]\n\"ici.link_rate\" = {{ from = \"{} GB/s\", to = \"{} GB/s\", points = {}, scale = \"{}\" }}\n", from,
      from + width, count, log ? "log" : "linear")));
  RC_ASSERT(points.size() == std::size_t(count));
  const std::vector<double> rates = numbers(points, "ici.link_rate");
  RC_ASSERT(rates.front() == from * 1e9);
  RC_ASSERT(rates.back() == (from + width) * 1e9);
  const auto scale = [&](double rate) { return log ? std::log(rate) : rate; };
  double sum = 0;
  for (double rate : rates) sum += scale(rate);
  const double middle = (scale(rates.front()) + scale(rates.back())) / 2;
  RC_ASSERT(std::abs(sum / count - middle) <= 1e-9 * middle);
}

// The points that satisfy a constraint and those that satisfy its opposite are all points.
RC_GTEST_PROP(StudyPoints, AConstraintAndItsOppositeShareThePoints, ()) {
  const int limit = *rc::gen::inRange(1, 60);
  const std::string axes = "[axes]\n" + list_of("batch_per_core", 7) + list_of("steps", 5);
  const auto count = [&](const char* comparison) {
    const std::string text =
        resnet_study(axes, fmt::format("constraints = [\"batch_per_core {} {}\"]", comparison, limit));
    try {
      return points_of_text(text).size();
    } catch (const base::InputError&) {
      return std::size_t(0);
    }
  };
  RC_ASSERT(count("<=") + count(">") == 35U);
}

}  // namespace
}  // namespace podsim::studies::plan
