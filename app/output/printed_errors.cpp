// SPDX-License-Identifier: Apache-2.0
#include "app/output/printed_errors.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "app/output/failed_check.h"
#include "base/diagnostic.h"
#include "base/host/exit_code.h"
#include "base/host/interrupt.h"

namespace podsim::app::output {
namespace {

bool color_on_stderr() {
  const char* no_color = std::getenv("NO_COLOR");  // https://no-color.org: any value but the empty one
  return isatty(STDERR_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

void print(const base::Diagnostic& diagnostic) {
  std::fputs(base::format(diagnostic, color_on_stderr()).c_str(), stderr);
}

void print_error(const std::string& message) { print({base::Diagnostic::Severity::error, message, {}, ""}); }

}  // namespace

int with_errors_printed(const std::function<int()>& command) {
  try {
    return command();
  } catch (const base::InputError& error) {
    for (const base::Diagnostic& diagnostic : error.diagnostics()) print(diagnostic);
    return base::host::bad_input;
  } catch (const FailedCheck& check) {
    for (const base::Diagnostic& diagnostic : check.diagnostics()) print(diagnostic);
    return base::host::failed;
  } catch (const base::host::Interrupted& interruption) {
    print_error(interruption.what());
    return base::host::interruption_code();
  } catch (const base::SimulationError& error) {
    print_error(error.what());
    return base::host::failed;
  } catch (const std::bad_alloc&) {
    print_error("there is not enough memory on this host, or not as much is allowed");
    return base::host::failed;
  } catch (const std::exception& error) {
    print_error(std::string("internal error: ") + error.what());
    return base::host::failed;
  }
}

}  // namespace podsim::app::output
