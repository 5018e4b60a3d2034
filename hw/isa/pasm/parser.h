// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/isa/pasm/report.h"
#include "hw/isa/pasm/syntax.h"

namespace podsim::hw::isa::pasm {

/// Reads a file. Reports lines that it cannot read, and continues after them.
FileText parse(Report& report);

}  // namespace podsim::hw::isa::pasm
