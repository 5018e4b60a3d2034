// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/parts/alarms.h"

#include <utility>

#include "base/systemc/systemc_time.h"

namespace podsim::sw::runtime::parts {

Alarms::Alarms(sc_core::sc_module_name name) : sc_module(name) {
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

void Alarms::at(base::Time when, Function function) {
  due_.push(when, 0, std::move(function));
  wake_up();
}

void Alarms::clear() {
  due_ = {};
  wake_.cancel();
}

void Alarms::work() {
  while (!due_.empty() && due_.top().when <= base::systemc::now()) due_.pop().value();
  if (!due_.empty()) wake_up();
}

void Alarms::wake_up() { wake_.notify(base::systemc::to_sc_time(due_.top().when - base::systemc::now())); }

}  // namespace podsim::sw::runtime::parts
