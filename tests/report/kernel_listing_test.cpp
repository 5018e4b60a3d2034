// SPDX-License-Identifier: Apache-2.0
#include "report/kernel_listing.h"

#include <gtest/gtest.h>

#include <sstream>

#include "hw/isa/pasm/assembler.h"

namespace podsim::report {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(KernelListing, ShowsCycleWaitReasonLineAndTextOfEveryBundleThatIssued) {
  const hw::isa::Program program =
      hw::isa::pasm::assemble("x.pasm", "{ s.mov s1, 2 }\nagain:\n{ s.loop s1, again }\n{ halt }\n");
  KernelListing listing(program);
  const std::vector<hw::isa::Bundle>& bundles = program.segments[0].bundles;
  listing.add({base::Cycles(0), 0, bundles[0], base::Cycles(0)});
  listing.add({base::Cycles(1), 1, bundles[1], base::Cycles(0)});
  listing.add({base::Cycles(10), 1, bundles[1], base::Cycles(8), hw::bundle::Stall::branch});
  listing.add({base::Cycles(11), 2, bundles[2], base::Cycles(0)});
  const std::vector<std::string> text = lines(listing.text());
  ASSERT_EQ(text.size(), 7U) << listing.text();  // the header, four bundles, the label before two of them
  EXPECT_TRUE(has(text[0], "cycle") && has(text[0], "wait") && has(text[0], "bundle"));
  EXPECT_TRUE(has(text[1], "s.mov s1, 2")) << text[1];
  EXPECT_TRUE(has(text[2], "again:")) << text[2];
  EXPECT_TRUE(has(text[5], "10") && has(text[5], "8  branch") && has(text[5], "s.loop s1, again")) << text[5];
  EXPECT_TRUE(has(text[6], "halt") && has(text[6], " 4  ")) << "line 4: " << text[6];
}

TEST(KernelListing, ShowsWhatAnOverlayPutInAPlaceNotWhatStoodThere) {
  const hw::isa::Program program = hw::isa::pasm::assemble("x.pasm", "{ s.mov s1, 2 }\n{ halt }\n");
  KernelListing listing(program);
  listing.add({base::Cycles(0), 0, program.segments[0].bundles[0], base::Cycles(0)});
  listing.add({base::Cycles(1), 0, program.segments[0].bundles[1], base::Cycles(0)});
  const std::vector<std::string> text = lines(listing.text());
  EXPECT_TRUE(has(text[1], "s.mov")) << text[1];
  EXPECT_TRUE(has(text[2], "halt")) << text[2];
}

}  // namespace
}  // namespace podsim::report
