// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/trace/probe.h"

namespace podsim::sw::collectives::engine::testing {

/// Records nothing. With a sink collectives are executed by the modules, whose signals it could show.
class NoSignals : public base::trace::ProbeSink {
 public:
  bool wants(std::string_view) const override { return false; }
  int declare(std::string_view, std::string_view, base::trace::SignalKind, int) override { return 0; }
  void change(int, base::Time, std::int64_t) override {}
  void change(int, base::Time, double) override {}
  void change(int, base::Time, std::string_view) override {}
  void expect(base::Time, base::trace::Forecast&) override {}
  void keep(std::shared_ptr<base::trace::Forecast>) override {}
};

}  // namespace podsim::sw::collectives::engine::testing
