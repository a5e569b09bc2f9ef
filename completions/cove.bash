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
      COMPREPLY=($(compgen -W "bash bun c clang clang++ cpp cpp20 csharp deno go haskell java javascript kotlin lua ocaml perl php python r ruby rust sh swift typescript zig" -- "$current"))
      return ;;
    --engine) COMPREPLY=($(compgen -W "docker podman" -- "$current")); return ;;
    --image | --runtime | --docker-host) return ;;
    --backend)
      word="native local container image:"
      [[ $command == run ]] && word+=" docker"
      COMPREPLY=($(compgen -W "$word" -- "$current"))
      return ;;
    --isolation) COMPREPLY=($(compgen -W "namespaces landlock" -- "$current")); return ;;
    --limit-scope) COMPREPLY=($(compgen -W "strongest tree" -- "$current")); return ;;
    --diagnostics) COMPREPLY=($(compgen -W "full short" -- "$current")); return ;;
    --truncate) COMPREPLY=($(compgen -W "head head_tail notice" -- "$current")); return ;;
    --policy)
      COMPREPLY=($(compgen -W "strict strict_js strict_rust data_analysis host_local" -- "$current") $(compgen -f -- "$current"))
      return ;;
    --out) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --stdin | --file | --profile | --markdown | --svg | --ca-file | --config | --put) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --code | -c | --env | --input | --timeout | --compile-timeout | --memory | --cpus | --pids | --disk | --cpu-time | --docker-image | --rounds | --server | --key | --json-args | --scope | --interval | --idle-timeout)
      return ;;
  esac

  case $command in
    "") COMPREPLY=($(compgen -W "run doctor languages tool policy image bench serve keys audit session ps logs
      top help --help --version" -- "$current")) ;;
    run)
      if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "--language --code --stdin --file --out --env --input --timeout --compile-timeout --memory --cpus
          --pids --disk --cpu-time --limit-scope --policy --backend --isolation --image --engine --runtime --pull --docker-host --profile --diagnostics --truncate --explain
          --json --contents --raw --server --key --ca-file --insecure --help" -- "$current"))
      else
        COMPREPLY=($(compgen -f -- "$current"))
      fi ;;
    doctor) COMPREPLY=($(compgen -W "--prove --json --isolation --help" -- "$current")) ;;
    languages) COMPREPLY=($(compgen -W "--json --profile --server --key --ca-file --insecure --help" -- "$current")) ;;
    tool)
      case $sub in
        "") COMPREPLY=($(compgen -W "list schema code_exec --help" -- "$current")) ;;
        code_exec) COMPREPLY=($(compgen -W "--json-args --scope --policy --isolation --json --server --key --ca-file
          --insecure --help" -- "$current")) ;;
        schema) COMPREPLY=($(compgen -W "code_exec --json --server --key --ca-file --insecure --help" -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "--json --server --key --ca-file --insecure --help" -- "$current")) ;;
      esac ;;
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
    image)
      case $sub in
        "") COMPREPLY=($(compgen -W "import list show rm --help" -- "$current")) ;;
        import)
          if [[ $current == -* ]]; then
            COMPREPLY=($(compgen -W "--name --rootfs --max-size --max-files --json --help" -- "$current"))
          else
            COMPREPLY=($(compgen -f -- "$current"))
          fi ;;
        *) COMPREPLY=($(compgen -W "--json --help" -- "$current")) ;;
      esac ;;
    session)
      if [[ -z $sub ]]; then
        COMPREPLY=($(compgen -W "new exec fork ls rm interrupt reset checkpoint rollback files --help" -- "$current"))
      else
        COMPREPLY=($(compgen -W "--server --key --ca-file --insecure --json --help" -- "$current"))
        case $sub in
          new) COMPREPLY+=($(compgen -W "--language --profile --policy --memory --disk --cpus --pids --env --idle-timeout" -- "$current")) ;;
          exec) COMPREPLY+=($(compgen -W "--code --timeout --out --raw" -- "$current") $(compgen -f -- "$current")) ;;
          files) COMPREPLY+=($(compgen -W "--get --out --put --rm" -- "$current")) ;;
        esac
      fi ;;
    ps) COMPREPLY=($(compgen -W "--all --limit --caller --json --server --key --ca-file --insecure --help" -- "$current")) ;;
    logs) COMPREPLY=($(compgen -W "--follow --raw --json --server --key --ca-file --insecure --help" -- "$current")) ;;
    top) COMPREPLY=($(compgen -W "--interval --json --server --key --ca-file --insecure --help" -- "$current")) ;;
    serve) COMPREPLY=($(compgen -W "--config --dev --listen --data-dir --print-config --help" -- "$current")) ;;
    keys) COMPREPLY=($(compgen -W "add list revoke --help" -- "$current")) ;;
    audit) COMPREPLY=($(compgen -W "verify --help" -- "$current")) ;;
    bench) COMPREPLY=($(compgen -W "--json --markdown --svg --docker-image --image --rounds --quick --help" -- "$current")) ;;
  esac
}

complete -o filenames -F _cove cove
