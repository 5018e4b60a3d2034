// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "hw/timing/vmem_account.h"
#include "hw/trace.h"

namespace podsim::hw::core {

/// What the sequencer asks of the vector memory.
class VmemAccess : public sc_core::sc_interface {
 public:
  /// Takes `bytes`, which account() must not refuse.
  virtual void allocate(std::string_view op, base::Bytes bytes) = 0;
  virtual void release(base::Bytes bytes) = 0;
  virtual const timing::VmemAccount& account() const = 0;
};

/// The vector memory of a core as a module: the bytes that the running op holds. Its ports are wide enough for all
/// units at once (8 ports, HC20), so it adds no delay at tile level.
class Vmem : public sc_core::sc_module, private VmemAccess {
 public:
  /// `core_name` names the core in error messages.
  Vmem(sc_core::sc_module_name name, base::Bytes capacity, const std::string& core_name, const Trace& trace);

  sc_core::sc_export<VmemAccess> from_sequencer{"from_sequencer"};

  const timing::VmemAccount& account() const override { return account_; }

 private:
  void allocate(std::string_view op, base::Bytes bytes) override;
  void release(base::Bytes bytes) override;
  void show();

  timing::VmemAccount account_;
  base::trace::Probe<std::int64_t> used_;
};

}  // namespace podsim::hw::core
