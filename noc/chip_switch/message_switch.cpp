// SPDX-License-Identifier: Apache-2.0
#include "noc/chip_switch/message_switch.h"

namespace podsim::noc::chip_switch {

MessageSwitch::MessageSwitch(sc_core::sc_module_name name, const ici::SwitchParameters& parameters,
                             base::Frequency clock, int ports, base::trace::ProbeSink* sink, const std::string& scope)
    : sc_module(name), timing_(parameters, clock, ports), bytes_(sink, scope, "bytes", 64) {
  transfers.bind(*this);
  bytes_.set(base::Time(0), 0);
}

SwitchPassage MessageSwitch::pass(base::Time now, int source, int destination, base::Bytes bytes) {
  entered_ += bytes;
  bytes_.set(now, entered_.value());
  return timing_.pass(now, source, destination, bytes);
}

}  // namespace podsim::noc::chip_switch
