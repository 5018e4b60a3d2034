// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/hlo_text.h"

#include <algorithm>

#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/translator.h"

namespace podsim::hlo::stablehlo {

bool is_mlir(std::string_view text) {
  if (text.starts_with("ML\xefR")) return true;
  Cursor cursor(text);
  if (text.starts_with("\xef\xbb\xbf")) cursor.move_to(3);
  if (!cursor.skip_space()) return false;
  const std::string_view rest = text.substr(cursor.offset());
  constexpr std::string_view starts[] = {
      "module @", "module {", "module attributes", "builtin.module", "\"builtin.module", "func.func", "func @", "#",
      "!",        "{-#"};
  return std::ranges::any_of(starts, [rest](std::string_view start) { return rest.starts_with(start); });
}

HloText hlo_text(const std::string& file, std::string_view mlir) {
  if (mlir.starts_with("ML\xefR")) {
    throw base::InputError("'" + file + "' is MLIR bytecode, not text",
                           "stablehlo-opt FILE -o FILE.mlir prints it as text, as does str(jax.export.deserialize(...)"
                           ".mlir_module()) or jax.jit(f).lower(...).as_text()");
  }
  const auto error = [&](const Fault& fault) {
    HloText made;
    made.diagnostics.push_back(
        {base::Diagnostic::Severity::error, fault.what(),
         base::locate(file, mlir, fault.offset, int(std::clamp<std::size_t>(fault.length, 1, 200))), fault.hint});
    return made;
  };
  try {
    if (const std::size_t zero = mlir.find('\0'); zero != std::string_view::npos) {
      throw Fault(zero, 1, "this is not text: it contains a zero byte");
    }
    return Translator(file, mlir, parse(mlir)).run();
  } catch (const Fault& fault) {
    return error(fault);
  }
}

}  // namespace podsim::hlo::stablehlo
