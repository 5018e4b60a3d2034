// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::base::systemc {

/// Keeps SystemC's information and warnings, such as "Simulation stopped by user", from being printed among results.
/// Its errors are thrown as before. A program calls this before it simulates.
void silence_reports();

}  // namespace podsim::base::systemc
