// SPDX-License-Identifier: Apache-2.0
#include "base/parameters/value_kinds.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/parameters/related_values.h"

namespace podsim::base::parameters {
namespace {

/// A machine with keys "part.x", "part.y" and "part.z".
Config machine_of(const std::string& x, const std::string& y = "1", const std::string& z = "1") {
  const std::string rest = ", evidence = \"assumed\", source = \"-\" }\n";
  return Config::builtin(
      "machine.toml", "[part]\nx = { value = " + x + rest + "y = { value = " + y + rest + "z = { value = " + z + rest);
}

/// The message for a value that a kind rejects; "" for one that it takes.
template <class Kind>
std::string fault_of(const Kind& kind, const std::string& x) {
  const Config config = machine_of(x);
  try {
    kind({config, std::nullopt}, "part.x");
    return "";
  } catch (const InputError& error) {
    return format(error.diagnostics().front());
  }
}

/// Takes the first values and rejects the others with a message that has `rule`.
template <class Kind>
void expect_range(const Kind& kind, const std::vector<std::string>& taken, const std::vector<std::string>& rejected,
                  const std::string& rule) {
  for (const std::string& value : taken) EXPECT_EQ(fault_of(kind, value), "") << value;
  for (const std::string& value : rejected) {
    const std::string fault = fault_of(kind, value);
    EXPECT_NE(fault.find("'part.x' " + rule), std::string::npos) << value << ": " << fault;
  }
}

TEST(ValueKinds, AreTakenUpToTheEndsOfTheirRanges) {
  expect_range(kind::whole(2, 7), {"2", "7"}, {"1", "8"}, "must be between 2 and 7");
  expect_range(kind::positive(), {"1", "1000000"}, {"0", "1000001"}, "must be between 1 and 1000000");
  expect_range(kind::PowerOfTwo{64}, {"1", "2", "64"}, {"0", "-4", "3", "128"}, "must be a power of two up to 64");
  expect_range(kind::cycles(3, 9), {"3", "9"}, {"2", "10"}, "must be between 3 and 9");
  expect_range(kind::share(), {"0.0", "1.0"}, {"-0.001", "1.001"}, "is a share: between 0 and 1");
  expect_range(kind::Size{Bytes(1024)}, {"\"1 B\"", "\"1 KiB\""}, {"\"0 B\""}, "must be more than nothing");
  expect_range(kind::Size{Bytes(1024)}, {}, {"\"1025 B\""}, "must be at most 1 KiB");
  expect_range(kind::SizePowerOfTwo{Bytes(8), Bytes(64)}, {"\"8 B\"", "\"64 B\""}, {"\"4 B\"", "\"24 B\"", "\"128 B\""},
               "must be a power of two between 8 B and 64 B");
  expect_range(kind::Rate{}, {"\"1 MB/s\"", "\"1000000 GB/s\""}, {"\"0.999 MB/s\"", "\"1000001 GB/s\""},
               "must be between 1 MB/s and 1000000 GB/s");
  expect_range(kind::Time{2}, {"\"0 s\"", "\"2 s\""}, {"\"2.001 s\""}, "must be between 0 and 2 s");
  expect_range(kind::ClockRate{}, {"\"1 MHz\"", "\"100 GHz\""}, {"\"0.999 MHz\"", "\"100.1 GHz\""},
               "must be between 1 MHz and 100 GHz");
}

enum class Order { rows, columns };

TEST(ValueKinds, AChoiceIsOneOfItsNames) {
  const kind::Choice<Order> choice{{{"rows", Order::rows}, {"columns", Order::columns}}};
  const Config config = machine_of("\"columns\"");
  EXPECT_EQ(choice({config, std::nullopt}, "part.x"), Order::columns);
  expect_range(choice, {"\"rows\""}, {"\"cells\""}, "must be one of rows, columns");
}

TEST(RelatedValues, ASumIsTheLeastOfWhatHoldsIt) {
  EXPECT_NO_THROW(require_at_least_sum(machine_of("5", "2", "3"), "part.x", {"part.y", "part.z"}, "it holds both"));
  try {
    require_at_least_sum(machine_of("4", "2", "3"), "part.x", {"part.y", "part.z"}, "it holds both");
    FAIL();
  } catch (const InputError& error) {
    const std::string text = format(error.diagnostics().front());
    EXPECT_NE(text.find("'part.x' must be at least 'part.y' + 'part.z': 'part.x' is 4, 'part.y' is 2, 'part.z' is 3"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("it holds both"), std::string::npos) << text;
  }
}

TEST(RelatedValues, AreRejectedAtTheOneThatAUserSet) {
  Config config = machine_of("4", "2", "3");
  config.set("part.z=9");
  try {
    reject_together(config, {"part.x", "part.z"}, "they do not fit");
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().location.file, "--set");
    EXPECT_NE(error.diagnostics().front().message.find("'part.x' is 4, 'part.z' is 9"), std::string::npos);
  }
}

}  // namespace
}  // namespace podsim::base::parameters
