// SPDX-License-Identifier: Apache-2.0
// Part of app/command_line/completion.h.
#include "app/command_line/completion.h"

namespace podsim::app::command_line {
namespace {

constexpr const char* bash =
    R"(# Completion of podsim's commands, flags and values in bash: source <(podsim completion bash)
_podsim() {
  local words=() word rest=${COMP_LINE:0:COMP_POINT} trimmed i
  # bash cuts words at = and : too; what follows without a blank belongs to the word before.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    trimmed=${rest#"${rest%%[![:space:]]*}"}
    if ((${#words[@]} > 0)) && [ -n "$word" ] && [ "$trimmed" = "$rest" ]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    rest=${trimmed#"$word"}
  done
  local current=${words[${#words[@]} - 1]} last=${COMP_WORDS[COMP_CWORD]}
  case $last in = | :) last= ;; esac
  local before=${current%"$last"} line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o filenames && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$last") ;;
      :folders) compopt -o filenames && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$last") ;;
      *)
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$before"}")
        case $line in *=) compopt -o nospace ;; esac
        ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _podsim podsim
)";

constexpr const char* zsh = R"(#compdef podsim
# Completion of podsim's commands, flags and values in zsh: source <(podsim completion zsh)
_podsim() {
  local -a plain joined plain_shown joined_shown
  local line word shown
  for line in "${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files ;;
      :folders) _files -/ ;;
      *)
        word=${line%%$'\t'*} shown=${line/$'\t'/  -- }
        if [[ $word == *= ]]; then
          joined+=("$word") joined_shown+=("$shown")
        else
          plain+=("$word") plain_shown+=("$shown")
        fi
        ;;
    esac
  done
  (( $#plain )) && compadd -l -d plain_shown -a plain
  (( $#joined )) && compadd -l -S '' -d joined_shown -a joined
  return 0
}
if [ "$funcstack[1]" = _podsim ]; then
  _podsim "$@"
else
  compdef _podsim podsim
fi
)";

constexpr const char* fish =
    R"(# Completion of podsim's commands, flags and values in fish: podsim completion fish | source
function __podsim_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current"
            case '*'
                echo $line
        end
    end
end
complete -c podsim -f -a '(__podsim_complete)'
)";

}  // namespace

const char* completion_script(const std::string& shell) {
  if (shell == "bash") return bash;
  if (shell == "zsh") return zsh;
  if (shell == "fish") return fish;
  return nullptr;
}

}  // namespace podsim::app::command_line
