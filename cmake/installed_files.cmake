# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=build/podsim -DCHANGELOG=packaging/changelog -DOUTPUT=build/installed -P installed_files.cmake
# What the program prints and is installed beside it: its manual, completions for three shells; and the changelog, packed
# as Debian wants it, without a time of day.
file(MAKE_DIRECTORY ${OUTPUT})
foreach(file "podsim.1:man" "podsim.bash:completion:bash" "_podsim:completion:zsh" "podsim.fish:completion:fish")
  string(REPLACE ":" ";" arguments ${file})
  list(POP_FRONT arguments name)
  execute_process(COMMAND ${PROGRAM} ${arguments} OUTPUT_FILE ${OUTPUT}/${name} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(COPY ${CHANGELOG} DESTINATION ${OUTPUT})
execute_process(COMMAND gzip -9nf ${OUTPUT}/podsim.1 ${OUTPUT}/changelog COMMAND_ERROR_IS_FATAL ANY)
