// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "hw/trace.h"
#include "hw/vmem_account.h"

namespace podsim::hw {

/// The vector memory of a core as a module: how much of it the running op holds. Its ports are wide enough for every
/// unit at once (8 ports, HC20), so it delays nobody at tile level.
class Vmem : public sc_core::sc_module {
 public:
  /// `place` names the core in verdicts.
  Vmem(sc_core::sc_module_name name, base::Bytes capacity, const std::string& place, const Trace& trace);

  /// What it refuses must not be asked for: see VmemAccount.
  void allocate(std::string_view op, base::Bytes bytes);
  void release(base::Bytes bytes);
  const VmemAccount& account() const { return account_; }

 private:
  void show();

  VmemAccount account_;
  base::Probe<std::int64_t> used_;
};

}  // namespace podsim::hw
