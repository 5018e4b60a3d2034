// SPDX-License-Identifier: Apache-2.0
#include "base/host/write_all.h"

#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.h"

namespace podsim::base::host {
namespace {

TEST(WriteAll, GoesOnAfterAnErrorAndReportsAll) {
  std::string written;
  try {
    write_all({[&] { written += "a"; }, [] { throw InputError("no b"); }, [&] { written += "c"; },
               [] { throw InputError("no d"); }});
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 2U);
    EXPECT_EQ(error.diagnostics()[0].message, "no b");
    EXPECT_EQ(error.diagnostics()[1].message, "no d");
  }
  EXPECT_EQ(written, "ac");
}

TEST(WriteAll, ThrowsNothingWhereNothingFails) {
  int calls = 0;
  write_all({[&] { ++calls; }, [&] { ++calls; }});
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace podsim::base::host
