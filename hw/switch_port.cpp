// SPDX-License-Identifier: Apache-2.0
#include "hw/switch_port.h"

#include "noc/systemc_time.h"

namespace podsim::hw {

SwitchPort::SwitchPort(sc_core::sc_module_name name, noc::OnChipSwitch& on_chip_switch, int port) : sc_module(name) {
  from_switch.register_b_transport(this, &SwitchPort::receive);
  to_switch.bind(on_chip_switch.in(port));
  on_chip_switch.out(port).bind(from_switch);
}

base::Time SwitchPort::send(int destination, base::Bytes bytes) {
  tlm::tlm_generic_payload payload;
  noc::SwitchRoute route(destination);
  payload.set_extension(&route);
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_data_length(unsigned(bytes.value()));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  to_switch->b_transport(payload, delay);
  payload.clear_extension(&route);
  return noc::now() + noc::from_sc_time(delay);
}

void SwitchPort::receive(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  received_ += base::Bytes(payload.get_data_length());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace podsim::hw
