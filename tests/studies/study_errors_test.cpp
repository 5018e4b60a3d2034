// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/studies/study_texts.h"

namespace podsim::studies {
namespace {

struct Mistake {
  std::string name;
  std::string text;
  std::vector<std::string> said;  ///< all of these are in the message
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

/// Line 8 is the first of the axes.
std::string axes(const std::string& lines, const std::string& top = "") {
  return resnet_study("[axes]\n" + lines, top);
}

std::string searched(const std::string& search) {
  return axes("steps = [2, 1]\nbatch_per_core = [1, 2]\n[report]\nminimise = [\"step_time_s\"]\n[search]\n" + search);
}

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      {"not_toml", "metrics = [", {"s.toml:1:", "error:"}},
      {"mistyped_machine_key",
       axes("\"ici.link_rat\" = [\"1 Tb/s\"]"),
       {"s.toml:8:1: error: 'ici.link_rat' is neither a flag of podsim run nor a key of",
        "^~~~~~~~~~~~~~ did you mean 'ici.link_rate'?"}},
      {"key_without_its_table", axes("link_rate = [\"1 Tb/s\"]"), {"did you mean 'ici.link_rate'?"}},
      {"mistyped_flag", axes("batch_per_cor = [8]"), {"s.toml:8:1:", "did you mean 'batch_per_core'?"}},
      {"flag_with_hyphens", axes("batch-per-core = [8]"), {"did you mean 'batch_per_core'?"}},
      {"mistyped_model_key",
       axes("\"model.clases\" = [8]"),
       {"not a key of the workload", "did you mean 'model.classes'?"}},
      {"flag_of_what_is_printed", axes("vcd = [\"a\"]"), {"'vcd' is of single runs"}},
      {"flag_of_the_other_command", axes("groups = [\"y\"]"), {"'groups' is of command = \"collective\""}},
      {"axis_without_values", axes("steps = []"), {"s.toml:8:9: error: axis 'steps' has no value"}},
      {"no_axes", resnet_study(""), {"the study has no axis"}},
      {"range_that_goes_nowhere",
       axes("steps = { from = 1, to = 8, step = -1 }"),
       {"s.toml:8:36:", "leads away from 'to': the range is empty"}},
      {"range_with_step_and_points", axes("steps = { from = 1, to = 8, step = 1, points = 8 }"), {"either a step or"}},
      {"range_to_nowhere",
       axes("batch_per_core = { from = nan, to = inf, step = 1 }"),
       {"s.toml:8:27: error: 'from' is a finite number"}},
      {"range_with_neither", axes("steps = { from = 1, to = 8 }"), {"either a step or"}},
      {"range_misspelt", axes("steps = { from = 1, to = 8, pionts = 3 }"), {"s.toml:8:29:", "did you mean 'points'?"}},
      {"range_of_texts", axes("slice = { from = 1, to = 8, step = 1 }"), {"'slice' does not take numbers"}},
      {"logarithm_of_nothing", axes("steps = { from = 0, to = 8, points = 3, scale = \"log\" }"), {"above 0"}},
      {"range_beyond_all_bounds", axes("steps = { from = 1, to = 1e12, step = 1 }"), {"1000000000000 values"}},
      {"range_without_unit",
       axes("\"ici.link_rate\" = { from = 3, to = 8, step = 1 }"),
       {"'ici.link_rate' is a bandwidth and needs a unit"}},
      {"range_of_too_large_values",
       axes("steps = { from = 1, to = 2000001, step = 1000000 }"),
       {"1000001 is out of range"}},
      {"constraints_that_leave_none",
       axes("batch_per_core = [8, 16]", "constraints = [\"batch_per_core > 16\"]"),
       {"s.toml:2:17: error: the constraints leave none of 2 points", "^~~~~~~~~~~~~~~~~~~"}},
      {"unknown_name",
       axes("batch_per_core = [8]", "constraints = [\"2 * batch_per_cor > 16\"]"),
       {"s.toml:2:21: error: nothing is called 'batch_per_cor'", "^~~~~~~~~~~~~ did you mean 'batch_per_core'?"}},
      {"flag_without_value",
       axes("batch_per_core = [8]", "constraints = [\"steps > 16\"]"),
       {"'steps' has no value in this study", "give it in [base]"}},
      {"text_in_arithmetic",
       axes("optimizer = [\"lars\"]", "constraints = [\"optimizer > 16\"]"),
       {"'optimizer' is text here"}},
      {"assignment", axes("steps = [8]", "constraints = [\"steps = 8\"]"), {"s.toml:2:23:", "write '=='"}},
      {"unknown_function",
       axes("steps = [8]", "constraints = [\"sqr(steps)\"]"),
       {"s.toml:2:17: error: 'sqr' is no function", "'sqrt'?"}},
      {"unfinished_expression", axes("steps = [8]", "constraints = [\"steps >\"]"), {"s.toml:2:24:", "ends too early"}},
      {"derived_axis",
       axes("steps = [8]\n[derived]\nsteps = \"3\""),
       {"s.toml:10:1: error: 'steps' is an axis already"}},
      {"derived_base", axes("steps = [8]\n[derived]\nslice = \"3\""), {"'slice' is set in [base] already"}},
      {"derived_fraction",
       axes("\"mxu.size\" = [96]\n[derived]\n\"mxu.count\" = \"32768 / mxu.size ^ 2\""),
       {"s.toml:10:16:", "'mxu.count' takes whole numbers, not 3.55", "at mxu.size = 96"}},
      {"division_by_nothing",
       axes("\"mxu.result_skew_cycles\" = [7]\n[derived]\nx = \"1 / (mxu.result_skew_cycles - 7)\""),
       {"'x' is no finite number at mxu.result_skew_cycles = 7"}},
      {"later_derived_value", axes("steps = [8]\n[derived]\na = \"b\"\nb = \"1\""), {"nothing is called 'b'"}},
      {"mistyped_metric",
       "metrics = [\"step_tme_s\"]\n[base]\nworkload = \"resnet50\"\n[axes]\nsteps = [2]",
       {"s.toml:1:13: error: podsim run has no metric 'step_tme_s'", "did you mean 'step_time_s'?"}},
      {"metric_without_its_unit",
       "metrics = [\"step_time\"]\n[base]\nworkload = \"resnet50\"\n[axes]\nsteps = [2]",
       {"did you mean 'step_time_s'?"}},
      {"metric_without_its_object",
       "metrics = [\"mxu\"]\n[base]\nworkload = \"resnet50\"\n[axes]\nsteps = [2]",
       {"did you mean 'utilization.mxu'?"}},
      {"host_time",
       "metrics = [\"wall_s\"]\n[base]\nworkload = \"resnet50\"\n[axes]\nsteps = [2]",
       {"time of this host"}},
      {"no_metrics", "[base]\nworkload = \"resnet50\"\n[axes]\nsteps = [2]", {"keeps no metric"}},
      {"metrics_below_a_table", axes("steps = [2]\nmetrics = [\"samples_per_s\"]"), {"write it above the first table"}},
      {"metric_expression",
       axes("steps = [2]\n[metric_derived]\nx = \"step_time / 2\""),
       {"s.toml:10:6:", "did you mean 'step_time_s'?"}},
      {"quantity_without_unit", axes("\"ici.hop_latency\" = [\"300\"]"), {"is a duration and needs a unit"}},
      {"quantity_of_another_kind", axes("\"ici.link_rate\" = [\"3 GB\"]"), {"s.toml:8:20:", "is an amount of data"}},
      {"machine_value_out_of_range",
       axes("\"mxu.size\" = [64, 100]"),
       {"s.toml:8:19: error: 'mxu.size' must be a multiple of 8"}},
      {"values_that_do_not_go_together",
       axes("\"mxu.weight_rows_per_cycle\" = [1, 256]"),
       {"s.toml:8:35: error: an array has fewer rows of weights than load in a cycle: "
        "'mxu.weight_rows_per_cycle' is 256, 'mxu.size' is 128"}},
      {"slice_of_letters", axes("slice = [\"4y4\"]"), {"s.toml:8:11: error: '4y4' is not a slice"}},
      {"slice_that_there_is_not", axes("slice = [\"4x4\", \"3x5\"]"), {"s.toml:8:17:", "cannot form a slice of 3x5"}},
      {"batch_of_letters", axes("batch_per_core = [\"many\"]"), {"'many' is not a whole number"}},
      {"batch_out_of_range", axes("batch_per_core = [0]"), {"s.toml:8:19: error: 0 is out of range"}},
      {"mistyped_choice", axes("optimizer = [\"adan\"]"), {"s.toml:8:15:", "did you mean 'adam'?"}},
      {"model_value_out_of_range", axes("\"model.image_size\" = [1]"), {"1 is not between 32 and 4096"}},
      {"mistyped_workload",
       "metrics = [\"step_time_s\"]\n[axes]\nworkload = [\"resnet5\"]",
       {"s.toml:3:14: error: 'resnet5' is not a workload", "did you mean 'resnet50'?"}},
      {"no_workload", "metrics = [\"step_time_s\"]\n[axes]\nsteps = [3]", {"nothing says which 'workload'"}},
      {"model_key_of_another_workload",
       "metrics = [\"step_time_s\"]\n[axes]\nworkload = [\"resnet50\", \"bert_large\"]\n\"model.classes\" = [10]",
       {"'model.classes' is not a key of bert_large", "at workload = bert_large"}},
      {"file_that_is_not_there", axes("sharding = [\"no.toml\"]"), {"s.toml:8:14: error: cannot read 'no.toml'"}},
      {"machine_that_is_not_there",
       axes("machine = [\"tpu-v33\"]"),
       {"no machine is called 'tpu-v33'", "did you mean 'tpu-v"}},
      {"mesh_that_does_not_fit",
       axes("slice = [\"2x2\", \"4x4\"]\nmesh = [\"x=8\"]"),
       {"the mesh x=8 has 8 partitions, a slice of 4x4 has 32 cores", "at slice = 4x4"}},
      {"mesh_misspelt", axes("mesh = [\"x=8,y\"]"), {"s.toml:8:", "error:"}},
      {"value_twice",
       axes("batch_per_core = [8, 16, 8]"),
       {"s.toml:8:26: error: 'batch_per_core' has the value 8 twice"}},
      {"equal_quantities", axes("\"ici.link_rate\" = [\"82 GB/s\", \"656 Gb/s\"]"), {"has the value 656 Gb/s twice"}},
      {"axis_of_a_zip_again", axes("steps = [1]\n[[zip]]\nsteps = [3]"), {"'steps' is an axis already"}},
      {"zip_of_unequal_lengths",
       axes("steps = [1, 2]\nbatch_per_core = [8]", "mode = \"zip\""),
       {"'batch_per_core' has 1 values, 'steps' has 2", "equally long"}},
      {"unknown_mode", axes("steps = [1]", "mode = \"gird\""), {"'gird' is not a mode", "grid, zip or list"}},
      {"points_of_a_grid",
       axes("steps = [1]\n[[point]]\nsteps = 2", "mode = \"grid\""),
       {"[[point]] is of mode = \"list\""}},
      {"axes_of_a_list",
       axes("steps = [1]\n[[point]]\nbatch_per_core = 2", "mode = \"list\""),
       {"a list of points has [[point]] tables"}},
      {"point_that_leaves_a_key_open",
       resnet_study("[[point]]\nsteps = 1\n[[point]]\nbatch_per_core = 2"),
       {"this point has no 'steps'", "this point has no 'batch_per_core'"}},
      {"unknown_key_of_the_study", "metrix = 3", {"s.toml:1:1: error: 'metrix' is not a key of a study", "'metrics'?"}},
      {"flag_outside_the_base", "steps = 3", {"stands in [base] and [axes]"}},
      {"unknown_command", "[base]\ncommand = \"kernel\"", {"studies do not run 'kernel'"}},
      {"baseline_off_the_axis", axes("steps = [1, 2]\n[baseline]\nsteps = 3"), {"'3' is no value of the axis 'steps'"}},
      {"baseline_of_no_axis", axes("steps = [1, 2]\n[baseline]\nstep = 3"), {"'step' is not an axis", "'steps'?"}},
      {"objective_that_is_not_kept",
       axes("steps = [1]\n[report]\nminimise = [\"samples_per_s\"]"),
       {"'samples_per_s' is not a metric or a derived value of this study"}},
      {"objective_of_two_meanings",
       axes("steps = [1]\n[derived]\nstep_time_s = \"1\"\n[report]\nminimise = [\"step_time_s\"]"),
       {"'step_time_s' is a metric and a derived value"}},
      {"metric_constraint_of_no_metric",
       axes("steps = [1]", "metric_constraints = [\"step_time < 1\"]"),
       {"nothing is called 'step_time'", "'step_time_s'?"}},
      {"constraint_called_as_its_metric",
       axes("steps = [1]\n[derived]\neligible = \"1\"", "metric_constraints = [\"step_time_s < 1\"]"),
       {"'eligible' is the metric of points that may be the best"}},
      {"search_of_nothing",
       axes("steps = [1, 2]\n[search]\nmethod = \"random\""),
       {"nothing says how many 'points' the search runs", "a search needs an objective"}},
      {"unknown_method", axes("steps = [1, 2]\n[search]\nmethod = \"grid\""), {"'grid' is not a method of search"}},
      {"part_of_another_method",
       searched("method = \"random\"\npoints = 2\nbatch = 4"),
       {"'batch' is no part of a search by \"random\""}},
      {"search_without_points", searched("points = 0"), {"'points' is a whole number from 1 to 500"}},
      {"seed_below_zero", searched("points = 2\nseed = -1"), {"'seed' is a whole number, 0 or more"}},
      {"halving_of_nothing", searched("method = \"halving\"\npoints = 4"), {"a search by halving needs a 'fidelity'"}},
      {"fidelity_of_no_axis",
       searched("method = \"halving\"\npoints = 4\nfidelity = \"step\""),
       {"'step' is not an axis", "'steps'?"}},
      {"fidelity_that_falls",
       searched("method = \"halving\"\npoints = 4\nfidelity = \"steps\""),
       {"the values of the fidelity 'steps' do not ascend"}},
      {"part_of_no_report", axes("steps = [1]\n[report]\nmaximize = []"), {"did you mean 'maximise'?"}},
  };
  return all;
}

class StudyErrors : public ::testing::TestWithParam<Mistake> {};

TEST_P(StudyErrors, AreSaid) {
  const std::string said = said_of(GetParam().text);
  for (const std::string& part : GetParam().said) EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
}

INSTANTIATE_TEST_SUITE_P(Of, StudyErrors, ::testing::ValuesIn(mistakes()),
                         [](const auto& of) { return of.param.name; });

TEST(StudyErrors, AreSaidTogetherInTheOrderOfTheFile) {
  const std::string said = said_of(axes("slise = [\"4x4\"]\nbatch_per_core = [0]\n\"ici.link_rate\" = [3]"));
  const std::size_t first = said.find("slise"), second = said.find("0 is out of range"),
                    third = said.find("needs a unit");
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_NE(third, std::string::npos);
}

TEST(StudyErrors, OfPointsAreSaidOncePerValue) {
  const std::string said = said_of(axes("\"mxu.size\" = [100]\nbatch_per_core = [1, 2, 3]"));
  const std::size_t first = said.find("multiple of 8");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(said.find("multiple of 8", first + 1), std::string::npos);
}

TEST(StudyErrors, NameTheStudiesThatThereAre) {
  try {
    plan::read_study("ici_");
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no study is called 'ici_'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("did you mean 'ici'?"), std::string::npos);
  }
}

}  // namespace
}  // namespace podsim::studies
