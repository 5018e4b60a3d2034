// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/trace/probe.h"

namespace podsim::hw {

/// Keeps the changes of every signal as "value@ns value@ns ...".
class RecordingSink : public base::trace::ProbeSink {
 public:
  bool wants(std::string_view) const override { return true; }
  int declare(std::string_view scope, std::string_view name, base::trace::SignalKind, int) override {
    names_.push_back(std::string(scope) + "." + std::string(name));
    return int(names_.size()) - 1;
  }
  void change(int id, base::Time now, std::int64_t value) override { keep(id, now, std::to_string(value)); }
  void change(int id, base::Time now, double value) override { keep(id, now, std::to_string(std::llround(value))); }
  void change(int id, base::Time now, std::string_view value) override { keep(id, now, std::string(value)); }

  void expect(base::Time at, base::trace::Forecast& forecast) override { forecasts_.push(at, forecast); }
  void keep(std::shared_ptr<base::trace::Forecast> forecast) override { forecasts_.keep(std::move(forecast)); }

  std::string history(const std::string& name) {
    forecasts_.show_before(base::Time(std::numeric_limits<std::int64_t>::max()));
    const auto found = histories_.find(name);
    return found == histories_.end() ? "" : found->second;
  }

 private:
  void keep(int id, base::Time now, const std::string& value) {
    std::string& history = histories_[names_[std::size_t(id)]];
    if (!history.empty()) history += " ";
    history += value + "@" + std::to_string(now.value() / 1000);
  }
  base::trace::ForecastQueue forecasts_;
  std::vector<std::string> names_;
  std::map<std::string, std::string> histories_;
};

}  // namespace podsim::hw
