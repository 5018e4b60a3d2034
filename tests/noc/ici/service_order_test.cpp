// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/service_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace podsim::noc::ici {
namespace {

TEST(ServiceKey, NumbersThatDifferInOneBitEachHaveDifferentKeys) {
  std::set<std::uint64_t> keys;
  std::size_t pairs = 0;
  for (int a = -1; a < 64; ++a) {
    for (int b = -1; b < 64; ++b, ++pairs) {
      keys.insert(service_key(a < 0 ? 0 : 1ULL << a, b < 0 ? 0 : 1ULL << b));
    }
  }
  EXPECT_EQ(keys.size(), pairs);
}

TEST(OrderedService, ServesEveryJobInTheGivenOrderWhateverTheArrival) {
  EXPECT_TRUE(rc::check([] {
    const auto order = *rc::gen::container<ServiceOrder>(rc::gen::inRange<std::uint64_t>(0, 10));
    ServiceOrder arrivals = order;
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::ranges::shuffle(arrivals, random);
    OrderedService<std::uint64_t> service(order);
    ServiceOrder served;
    for (const std::uint64_t key : arrivals) {
      service.come(key, key, [&](std::uint64_t job) { served.push_back(job); });
    }
    RC_ASSERT(served == order);
  }));
}

TEST(OrderedService, AJobWaitsForTheOneBeforeItAndNoLonger) {
  const ServiceOrder order{1, 2, 3};
  OrderedService<int> service(order);
  std::vector<int> served;
  const auto serve = [&](int job) { served.push_back(job); };
  service.come(2, 20, serve);
  EXPECT_TRUE(served.empty());
  service.come(1, 10, serve);
  EXPECT_EQ(served, (std::vector<int>{10, 20}));
  service.come(3, 30, serve);
  EXPECT_EQ(served, (std::vector<int>{10, 20, 30}));
}

}  // namespace
}  // namespace podsim::noc::ici
