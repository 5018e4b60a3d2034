// SPDX-License-Identifier: Apache-2.0
#include "base/systemc/quiet_reports.h"

#include <systemc>

namespace podsim::base::systemc {

void silence_reports() {
  for (const sc_core::sc_severity severity : {sc_core::SC_INFO, sc_core::SC_WARNING}) {
    sc_core::sc_report_handler::set_actions(severity, sc_core::SC_DO_NOTHING);
  }
}

}  // namespace podsim::base::systemc
