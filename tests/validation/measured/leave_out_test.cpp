// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/leave_out.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/diagnostic.h"
#include "validation/profile/profile_model.h"
#include "workloads/machines/machines.h"

namespace podsim::validation::measured {
namespace {

namespace fs = std::filesystem;

constexpr const char* profile_head =
    "Category,HLO op,#Occurrences,Avg. self time (us),Measured GFLOP/s,Measured Memory BW (GiB/s)\n";
constexpr const char* launch = "compiler.op_launch_cycles";
constexpr const char* lookup = "compiler.row_lookup_cycles";

/// Small ops, which take little but their launch, and, if wanted, lookups of rows of a large table.
std::vector<std::string> ops(bool lookups) {
  std::vector<std::string> texts;
  for (const char* size : {"1024", "2048", "8192"}) {
    const std::string shape = "f32[" + std::string(size) + "]{0}";
    texts.push_back("data formatting,\"%c = " + shape + " copy(" + shape + " %a)\"");
  }
  for (const char* rows : {"1664", "4096"}) {
    if (!lookups) continue;
    texts.push_back("gather fusion,\"%g = f32[" + std::string(rows) + ",128]{1,0} fusion(f32[19656,128]{1,0} %t, s32[" +
                    rows + "]{0} %i), kind=kCustom\"");
  }
  return texts;
}

base::Config configured(const std::string& machine) { return workloads::machines::machine_config(machine); }

/// A profile with the times of a machine with twice the launch and twice the lookup.
std::string profile_of(const std::vector<std::string>& texts) {
  base::Config config = configured("tpu-v3");
  for (const char* key : {launch, lookup}) {
    config.set(std::string(key) + "=" + std::to_string(2 * config.integer(key)));
  }
  const auto written = [&](const std::vector<double>& times) {
    std::string rows = profile_head;
    for (std::size_t i = 0; i < texts.size(); ++i) rows += texts[i] + ",1," + std::to_string(times[i] * 1e6) + ",0,0\n";
    return rows;
  };
  const std::string unmeasured = written(std::vector<double>(texts.size(), 1e-6));
  std::vector<double> times;
  for (const auto& op :
       profile::ProfileModel(sw::read_target(config), std::nullopt).compare(profile::read_profile("p", unmeasured))) {
    times.push_back(op.modelled_s.value());
  }
  return written(times);
}

class LeaveOutOfMadeProfiles : public ::testing::Test {
 protected:
  LeaveOutOfMadeProfiles() {
    fs::create_directories(folder_ / "op_profiles");
    std::ofstream(folder_ / "op_profiles/small.csv") << profile_of(ops(false));
    std::ofstream(folder_ / "op_profiles/rows.csv") << profile_of(ops(true));
  }
  ~LeaveOutOfMadeProfiles() override { fs::remove_all(folder_); }
  LeaveOutOfMadeProfiles(const LeaveOutOfMadeProfiles&) = delete;
  LeaveOutOfMadeProfiles& operator=(const LeaveOutOfMadeProfiles&) = delete;

  LeaveOut without(const std::vector<std::string>& names) const {
    LeaveOut result;
    leave_out(folder_.string(), names, configured, result);
    return result;
  }

  fs::path folder_ = fs::temp_directory_path() / ("podsim_leave_out_" + std::to_string(getpid()));
};

const FittedParameter& parameter(const LeaveOut& result, const std::string& key) {
  return *std::ranges::find(result.parameters, key, &FittedParameter::key);
}

std::string value_without(const LeaveOut& result, const std::string& key) {
  for (std::size_t i = 0; i < result.parameters.size(); ++i) {
    if (result.parameters[i].key == key) return result.sources.front().values[i];
  }
  return "";
}

std::string twice(const std::string& key) { return std::to_string(2 * configured("tpu-v3").integer(key)); }

// Both profiles are the model's own at twice the values, which is a whole number of steps away.
TEST_F(LeaveOutOfMadeProfiles, AFitFindsTheValuesThatMadeTheData) {
  const LeaveOut result = without({"rows"});
  EXPECT_EQ(parameter(result, launch).in_sample, twice(launch));
  EXPECT_EQ(parameter(result, lookup).in_sample, twice(lookup));
  EXPECT_LT(result.sources.front().in_sample, 1e-3);
  EXPECT_GT(result.sources.front().shipped, 0.05);
}

TEST_F(LeaveOutOfMadeProfiles, AParameterOfOneSourceAloneIsNotKnownWithoutIt) {
  const LeaveOut result = without({"rows"});
  EXPECT_EQ(parameter(result, lookup).told_by, std::vector<std::string>{"rows"});
  EXPECT_EQ(parameter(result, launch).told_by.size(), 2U);
  EXPECT_EQ(value_without(result, launch), twice(launch)) << "the other profile tells it";
  EXPECT_EQ(value_without(result, lookup), parameter(result, lookup).shipped);
  const LeftOut& rows = result.sources.front();
  EXPECT_GT(rows.left_out, 0.05);
  EXPECT_GE(rows.at_worst, rows.left_out);
  EXPECT_NE(leave_out_text(result).find("compiler.row_lookup_cycles: rows alone tells it"), std::string::npos);
}

TEST_F(LeaveOutOfMadeProfiles, ASourceThatOthersExplainIsAsGoodLeftOut) {
  const LeaveOut result = without({"small"});
  EXPECT_LT(result.sources.front().left_out, 1e-3);
  EXPECT_LT(result.sources.front().at_worst, 1e-3);
}

TEST_F(LeaveOutOfMadeProfiles, AWrongNameIsAnErrorWithTheNearest) {
  try {
    without({"smal"});
    ADD_FAILURE();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics().front().hint, "did you mean 'small'?");
  }
}

}  // namespace
}  // namespace podsim::validation::measured
