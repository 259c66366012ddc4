# Completion of `refran` for bash. Installed where bash-completion looks; elsewhere: source this file.
_refran() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local program=${COMP_WORDS[0]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "run list describe validate show check verify diff export summary new-plugin check-plugin --help --version" -- "$current")
    return
  fi
  case $previous in
    --out | --plugin-path | --resume)
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return
      ;;
  esac
  if [[ $current == -* ]]; then
    local options
    # The options are those that the command's own help names.
    options=$("$program" "$command" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]+' | sort -u)
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    return
  fi
  case $command in
    describe | check-plugin)
      mapfile -t COMPREPLY < <(compgen -W "$("$program" list --names 2>/dev/null)" -- "$current")
      ;;
    run | validate)
      mapfile -t COMPREPLY < <(compgen -d -S / -- "$current"; compgen -f -X '!*.yaml' -- "$current")
      compopt -o nospace
      ;;
    show | check | verify | diff | export | summary)
      mapfile -t COMPREPLY < <(compgen -d -S / -- "$current"; compgen -f -X '!*.h5' -- "$current")
      compopt -o nospace
      ;;
  esac
}
complete -F _refran refran
