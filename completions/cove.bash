# bash completion for cove

_cove() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command="" sub="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word == -- ]] && { COMPREPLY=($(compgen -f -- "$current")); return; }
    if [[ $word != -* ]]; then
      if [[ -z $command ]]; then command=$word; elif [[ -z $sub ]]; then sub=$word; fi
    fi
  done

  case $previous in
    --language | -l)
      COMPREPLY=($(compgen -W "bash bun deno javascript lua perl php python r ruby sh typescript" -- "$current"))
      return ;;
    --backend) COMPREPLY=($(compgen -W "native local" -- "$current")); return ;;
    --isolation) COMPREPLY=($(compgen -W "namespaces landlock" -- "$current")); return ;;
    --limit-scope) COMPREPLY=($(compgen -W "strongest tree" -- "$current")); return ;;
    --truncate) COMPREPLY=($(compgen -W "head head_tail notice" -- "$current")); return ;;
    --policy)
      COMPREPLY=($(compgen -W "strict strict_js strict_rust data_analysis host_local" -- "$current") $(compgen -f -- "$current"))
      return ;;
    --out) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --stdin | --file | --profile | --markdown | --svg) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --code | -c | --env | --input | --timeout | --memory | --cpus | --pids | --disk | --cpu-time | --docker-image | --rounds)
      return ;;
  esac

  case $command in
    "") COMPREPLY=($(compgen -W "run doctor languages policy bench help --help --version" -- "$current")) ;;
    run)
      if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "--language --code --stdin --file --out --env --input --timeout --memory --cpus
          --pids --disk --cpu-time --limit-scope --policy --backend --isolation --profile --truncate --explain
          --json --contents --raw --help" -- "$current"))
      else
        COMPREPLY=($(compgen -f -- "$current"))
      fi ;;
    doctor) COMPREPLY=($(compgen -W "--prove --json --isolation --help" -- "$current")) ;;
    languages) COMPREPLY=($(compgen -W "--json --profile --help" -- "$current")) ;;
    policy)
      case $sub in
        "") COMPREPLY=($(compgen -W "show check --help" -- "$current")) ;;
        *)
          if [[ $current == -* ]]; then
            COMPREPLY=($(compgen -W "--backend --isolation --json --help" -- "$current"))
          else
            COMPREPLY=($(compgen -W "strict strict_js strict_rust data_analysis host_local" -- "$current") $(compgen -f -- "$current"))
          fi ;;
      esac ;;
    bench) COMPREPLY=($(compgen -W "--json --markdown --svg --docker-image --rounds --quick --help" -- "$current")) ;;
  esac
}

complete -o filenames -F _cove cove
