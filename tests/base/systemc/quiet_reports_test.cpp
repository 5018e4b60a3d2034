// SPDX-License-Identifier: Apache-2.0
#include "base/systemc/quiet_reports.h"

#include <gtest/gtest.h>

#include <string>
#include <systemc>

namespace podsim::base::systemc {
namespace {

/// The output of SystemC on stdout and stderr when a simulation stops itself, with a report of each non-fatal kind.
std::string printed() {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  SC_REPORT_INFO("/test", "information");
  SC_REPORT_WARNING("/test", "warning");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  sc_core::sc_stop();
  return ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr();
}

TEST(QuietReports, WithoutThemSystemCPrintsAmongResults) {
  const std::string text = printed();
  EXPECT_NE(text.find("information"), std::string::npos);
  EXPECT_NE(text.find("Simulation stopped by user"), std::string::npos);
}

TEST(QuietReports, KeepInformationAndWarningsFromBeingPrinted) {
  silence_reports();
  EXPECT_EQ(printed(), "");
}

TEST(QuietReports, ThrowErrorsAsBefore) {
  silence_reports();
  EXPECT_THROW(SC_REPORT_ERROR("/test", "error"), sc_core::sc_report);
}

}  // namespace
}  // namespace podsim::base::systemc
