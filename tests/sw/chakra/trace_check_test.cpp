// SPDX-License-Identifier: Apache-2.0
#include "sw/chakra/trace_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/sw/chakra/sample_trace.h"

namespace podsim::sw::chakra {
namespace {

struct Planted {
  const char* name;
  std::function<void(ExecutionTrace&)> plant;
  std::int32_t rank;
  std::string node, words;  ///< that a finding has
};

void PrintTo(const Planted& fault, std::ostream* out) { *out << fault.name; }

Node& node(ExecutionTrace& trace, std::size_t rank, std::size_t number) { return trace.ranks[rank].nodes[number]; }

const std::vector<Planted>& planted_faults() {
  static const std::vector<Planted> faults{
      {"UnknownDependency",
       [](auto& t) {
         node(t, 2, 2).control = {1, 99};
       },
       2, "backward", "node 99"},
      {"DependencyLackingOnOneRank", [](auto& t) { node(t, 0, 3).control = {1}; }, 0, "all-reduce.2",
       "does not wait for 'backward'"},
      {"DataReadTooEarly",
       [](auto& t) {
         for (std::size_t rank = 0; rank < t.ranks.size(); ++rank) node(t, rank, 4).control = {2};
       },
       3, "update", "does not wait for 'all-reduce.2'"},
      {"SizeOnOneRank", [](auto& t) { node(t, 1, 1).bytes = 2048; }, 1, "all-reduce.1", "2048 B"},
      {"SizeOnTheFirstRank", [](auto& t) { node(t, 0, 1).bytes = 2048; }, 0, "all-reduce.1", "2048 B"},
      {"KindOnOneRank", [](auto& t) { node(t, 3, 3).comm_type = std::int64_t(CommType::all_gather); }, 3,
       "all-reduce.2", "is all-gather"},
      {"OrderOnOneRank",
       [](auto& t) {
         std::swap(node(t, 2, 1).name, node(t, 2, 3).name);
         std::swap(node(t, 2, 1).bytes, node(t, 2, 3).bytes);
         node(t, 2, 4).inputs.clear();
       },
       2, "all-reduce.2", "the order differs"},
      {"CollectiveMissing",
       [](auto& t) {
         node(t, 1, 4).control = {2};
         node(t, 1, 4).inputs.clear();
         t.ranks[1].nodes.erase(t.ranks[1].nodes.begin() + 3);
       },
       1, "all-reduce.2", "1 collectives of group 1 here, 2 on rank"},
      {"Circle", [](auto& t) { node(t, 1, 0).data = {4}; }, 1, "", "waits for itself"},
      {"SameId", [](auto& t) { node(t, 3, 2).id = 1; }, 3, "backward", "has id 1, as 'all-reduce.1' has"},
      {"NoReceive", [](auto& t) { t.ranks[1].nodes.pop_back(); }, 0, "send", "no receive on rank 1"},
      {"ReceiveOfAnotherSize", [](auto& t) { node(t, 1, 5).bytes = 512; }, 0, "send", "receives 512 B"},
      {"RankOutsideItsGroup", [](auto& t) { t.groups["1"].pop_back(); }, 3, "all-reduce.1", "which the rank is not in"},
      {"GroupOfUnknownRank", [](auto& t) { t.groups["1"].push_back(17); }, -1, "", "rank 17"},
      {"UnknownGroup", [](auto& t) { node(t, 2, 1).group = "5"; }, 2, "all-reduce.1", "group 5"},
      {"NoSize", [](auto& t) { node(t, 2, 1).bytes.reset(); }, 2, "all-reduce.1", "without comm_size"},
      {"NoType", [](auto& t) { node(t, 2, 0).type = NodeType::invalid; }, 2, "forward", "no type"},
      {"BeginsTooEarly",
       [](auto& t) {
         node(t, 1, 1).start_us = 100;
         node(t, 1, 1).duration_us = 50;
         node(t, 1, 2).start_us = 120;
       },
       1, "backward", "before 'all-reduce.1'"},
      // 46 days are the longest time, 4e18 ps or 4e12 us; 2^63 us are 292,000 years.
      {"DurationOfTwoToThe63Us", [](auto& t) { node(t, 2, 0).duration_us = std::uint64_t(1) << 63; }, 2, "forward",
       "takes 9223372036854775808 us"},
      {"BeginAtTwoToThe63Us", [](auto& t) { node(t, 2, 2).start_us = std::uint64_t(1) << 63; }, 2, "backward",
       "begins at 9223372036854775808 us"},
      {"DurationOfMostUs", [](auto& t) { node(t, 2, 0).duration_us = ~std::uint64_t(0); }, 2, "forward", "takes"},
      {"NegativeDuration", [](auto& t) { node(t, 1, 0).duration_ps = -1; }, 1, "forward",
       "duration_ps that is negative"},
      {"DurationOfMostPs", [](auto& t) { node(t, 1, 0).duration_ps = std::numeric_limits<std::int64_t>::max(); }, 1,
       "forward", "duration_ps that is negative or longer"},
      {"NegativeOperations", [](auto& t) { node(t, 0, 2).operations = -5; }, 0, "backward", "num_ops that is negative"},
      {"NegativeTensor", [](auto& t) { node(t, 0, 2).bytes = -1; }, 0, "backward", "tensor_size that is negative"},
      {"NegativeMessage", [](auto& t) { node(t, 0, 1).bytes = -1; }, 0, "all-reduce.1", "comm_size that is negative"},
      {"MessageBeyondTheNetwork", [](auto& t) { node(t, 0, 1).bytes = (std::int64_t(1) << 40) + 1; }, 0, "all-reduce.1",
       "the network takes at most 1099511627776 B"},
      {"LaterTypeWithoutDuration",
       [](auto& t) {
         node(t, 3, 0).type = NodeType::other;
         node(t, 3, 0).schema_type = 10;
         node(t, 3, 0).duration_ps.reset();
       },
       3, "forward", "has type 10, which et_def.proto did not know, and no duration"},
  };
  return faults;
}

TEST(TraceCheck, FindsNothingInASoundTrace) {
  for (const std::int32_t ranks : {2, 4, 9}) EXPECT_TRUE(check(testing::sample_trace(ranks)).empty()) << ranks;
}

class TraceFault : public ::testing::TestWithParam<Planted> {};

TEST_P(TraceFault, IsNamedWithItsPlace) {
  ExecutionTrace trace = testing::sample_trace(4);
  GetParam().plant(trace);
  const std::vector<Finding> findings = check(trace);
  const auto named = [](const Finding& finding) {
    return finding.rank == GetParam().rank && (GetParam().node.empty() || finding.node == GetParam().node) &&
           finding.message.find(GetParam().words) != std::string::npos;
  };
  std::string all;
  for (const Finding& finding : findings) {
    all += std::to_string(finding.rank) + " " + finding.node + ": " + finding.message + "\n";
  }
  EXPECT_TRUE(std::ranges::any_of(findings, named)) << all;
}

INSTANTIATE_TEST_SUITE_P(Planted, TraceFault, ::testing::ValuesIn(planted_faults()),
                         [](const auto& one) { return std::string(one.param.name); });

/// A path through other nodes is a dependency too, and a dependency that one rank has beyond the others is no fault.
TEST(TraceCheck, PathsReplaceDependencies) {
  ExecutionTrace trace = testing::sample_trace(4);
  for (std::size_t rank = 0; rank < 4; ++rank) node(trace, rank, 4).control = {3, 0};
  node(trace, 2, 4).control = {3};
  node(trace, 3, 4).control = {3, 0, 1};
  EXPECT_TRUE(check(trace).empty());
}

}  // namespace
}  // namespace podsim::sw::chakra
