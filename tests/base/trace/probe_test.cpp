// SPDX-License-Identifier: Apache-2.0
#include "base/trace/probe.h"

#include <gtest/gtest.h>

#include <variant>

namespace podsim::base::trace {
namespace {

/// Keeps every call.
class Recorder : public ProbeSink {
 public:
  using Value = std::variant<std::int64_t, double, std::string>;
  struct Declared {
    std::string name;
    SignalKind kind;
    int bits;
    bool operator==(const Declared&) const = default;
  };

  bool wants(std::string_view name) const override { return name != "unit.unwanted"; }
  int declare(std::string_view scope, std::string_view name, SignalKind kind, int bits) override {
    declared.push_back({std::string(scope) + "." + std::string(name), kind, bits});
    return int(declared.size()) - 1;
  }
  void change(int id, Time now, std::int64_t value) override { changes.emplace_back(id, now.value(), value); }
  void change(int id, Time now, double value) override { changes.emplace_back(id, now.value(), value); }
  void change(int id, Time now, std::string_view value) override {
    changes.emplace_back(id, now.value(), std::string(value));
  }
  void expect(Time, Forecast&) override {}
  void keep(std::shared_ptr<Forecast>) override {}

  std::vector<Declared> declared;
  std::vector<std::tuple<int, std::int64_t, Value>> changes;
};

TEST(Probe, DeclaresItsType) {
  Recorder recorder;
  Probe<bool> wire(&recorder, "unit", "wire");
  Probe<int> bus(&recorder, "unit", "bus", 12);
  Probe<double> real(&recorder, "unit", "real");
  Probe<std::string> text(&recorder, "unit", "text");
  EXPECT_EQ(recorder.declared, (std::vector<Recorder::Declared>{{"unit.wire", SignalKind::wire, 1},
                                                                {"unit.bus", SignalKind::integer, 12},
                                                                {"unit.real", SignalKind::real, 32},
                                                                {"unit.text", SignalKind::text, 32}}));
}

TEST(Probe, PassesChangesOnAndNothingElse) {
  Recorder recorder;
  Probe<int> bus(&recorder, "unit", "bus", 12);
  Probe<std::string> text(&recorder, "unit", "text");
  bus.set(Time(1), 0);
  bus.set(Time(2), 0);
  bus.set(Time(3), 9);
  text.set(Time(3), "idle");
  text.set(Time(4), "idle");
  using Value = Recorder::Value;
  EXPECT_EQ(recorder.changes,
            (std::vector<std::tuple<int, std::int64_t, Value>>{
                {0, 1, Value(std::int64_t(0))}, {0, 3, Value(std::int64_t(9))}, {1, 3, Value("idle")}}));
}

TEST(Probe, IsSilentWithoutASinkOrWhenUnwanted) {
  Recorder recorder;
  Probe<int> none(nullptr, "unit", "none"), unwanted(&recorder, "unit", "unwanted"), unset;
  none.set(Time(1), 1);
  unwanted.set(Time(1), 1);
  unset.set(Time(1), 1);
  EXPECT_FALSE(none.active() || unwanted.active() || unset.active());
  EXPECT_TRUE(recorder.declared.empty() && recorder.changes.empty());
}

}  // namespace
}  // namespace podsim::base::trace
