#compdef cove

_cove_server=(
  '--server[http://HOST\:PORT, https://HOST\:PORT or unix\:PATH]:address:'
  '--key[the key, or @FILE]:key:'
  '--ca-file[trust these certificates]:file:_files'
  '--insecure[do not check the certificate]'
)

_cove_policies() {
  _alternative 'presets:preset:(strict strict_js strict_rust data_analysis host_local)' 'files:policy file:_files'
}

_cove_run() {
  _arguments -s \
    '(-l --language)'{-l,--language}'[language of the program]:language:(bash bun c clang clang++ cpp cpp20 csharp deno go haskell java javascript kotlin lua ocaml perl php python r ruby rust sh swift typescript zig)' \
    '(-c --code)'{-c,--code}'[the program itself]:program:' \
    '--stdin[what the program reads]:file:_files' \
    '*--file[put a file into the working directory]:PATH[=NAME]:_files' \
    '--out[write output files below a directory]:directory:_files -/' \
    '*--env[set a variable]:NAME=VALUE:' \
    '--input[JSON for run(input), or @FILE]:json:' \
    '--timeout[wall-clock limit]:duration (10s):' \
    '--compile-timeout[wall-clock limit of compiling]:duration (30s):' \
    '--memory[memory limit]:size (256m):' \
    '--cpus[CPU share]:number:' \
    '--pids[most processes]:number:' \
    '--disk[most that may be written]:size (64m):' \
    '--cpu-time[most CPU time]:duration (10s):' \
    '--limit-scope[how limits must hold]:scope:(strongest tree)' \
    '--policy[policy name or file]:policy:_cove_policies' \
    '--backend[what runs it]:backend:(native local container docker image\:)' \
    '--image[image of the container and docker backends]:image:' \
    '--engine[container engine]:engine:(docker podman)' \
    '--runtime[runtime of the engine]:runtime:' \
    '--pull[pull a missing image]' \
    '--docker-host[engine of the docker backend]:address:' \
    '--isolation[level of the native backend]:level:(namespaces landlock)' \
    '--profile[a language profile of your own]:file:_files' \
    '--diagnostics[how what a compiler says is shown]:style:(full short)' \
    '--truncate[how long output is shortened]:style:(head head_tail notice)' \
    '--explain[say what would be enforced]' \
    '--json[print one JSON object]' \
    '--contents[contents of output files in the JSON]' \
    '--raw[let escape sequences reach the terminal]' \
    $_cove_server \
    '--help[show the options]' \
    '1:program:_files' \
    '*:argument:_files'
}

_cove_policy() {
  if (( CURRENT == 2 )); then
    _values 'subcommand' 'show[what a policy says]' 'check[whether a backend can enforce it]'
  else
    _arguments '2:policy:_cove_policies' '--backend[backend]:backend:(native local container image\:)' \
      '--isolation[level]:level:(namespaces landlock)' '--json[print one JSON object]'
  fi
}

_cove_image() {
  if (( CURRENT == 2 )); then
    _values 'subcommand' 'import[bring in an archive]' 'list[the images here]' 'show[what one is made of]' 'rm[remove one]'
  elif [[ $words[2] == import ]]; then
    _arguments '2:archive:_files' '--name[what to call it]:NAME\:TAG:' '--rootfs[a plain root file system]' \
      '--max-size[most that it may unpack to]:size:' '--max-files[most files]:number:' '--json[print one JSON object]'
  else
    _arguments '2:image:' '--json[print one JSON object]'
  fi
}

_cove_session() {
  if (( CURRENT == 2 )); then
    _values 'subcommand' 'new[open a session]' 'exec[run a cell]' 'fork[copy a session]' 'ls[list]' \
      'rm[end sessions]' 'interrupt[end the running cell]' 'reset[a fresh interpreter]' \
      'checkpoint[keep the state]' 'rollback[back to a checkpoint]' 'files[the files of a session]'
    return
  fi
  case $words[2] in
    new) _arguments $_cove_server '(-l --language)'{-l,--language}'[language]:language:(python javascript bash)' \
        '--policy[preset of the server]:preset:' '--memory[limit]:size:' '--disk[limit]:size:' '--cpus[share]:number:' \
        '--pids[most processes]:number:' '*--env[set a variable]:NAME=VALUE:' \
        '--profile[a language profile of the server]:name:' '--idle-timeout[ends when idle]:duration:' '--json[print one JSON object]' ;;
    exec) _arguments $_cove_server '2:session:' '3:cell:_files' '(-c --code)'{-c,--code}'[the cell]:cell:' \
        '--timeout[wall-clock limit]:duration:' '--out[directory]:directory:_files -/' '--raw[let escape sequences through]' '--json[print one JSON object]' ;;
    files) _arguments $_cove_server '2:session:' '--get[print a file]:name:' '--out[directory]:directory:_files -/' \
        '--put[copy a file in]:file:_files' '--rm[remove a file]:name:' '--json[print one JSON object]' ;;
    *) _arguments $_cove_server '--json[print one JSON object]' '*:session:' ;;
  esac
}

_cove() {
  if (( CURRENT == 2 )); then
    _values 'command' 'run[run a program in a sandbox]' 'doctor[what this host can enforce]' \
      'languages[languages usable here]' 'tool[call a tool as a language model does]' 'policy[show or check policies]' \
      'image[container images as root file systems]' 'bench[measure what isolation costs]' 'serve[run the HTTP server]' 'keys[the keys of a server]' \
      'audit[check an audit log]' 'session[stateful sessions of a server]' 'ps[what a server runs]' \
      'logs[what an execution has written]' 'top[watch a server at work]' 'help[show help]' '--help' '--version'
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    run) _cove_run ;;
    doctor) _arguments '--prove[attack this host]' '--json[print one JSON object]' \
        '--isolation[level]:level:(namespaces landlock)' ;;
    languages) _arguments $_cove_server '--json[print one JSON object]' '*--profile[profile file]:file:_files' ;;
    tool) _arguments $_cove_server '1:command:(list schema code_exec)' '2:tool:(code_exec)' \
        '--json-args[the arguments\: JSON, @FILE or -]:json:' '*--scope[grant only this]:scope:' \
        '--policy[policy name or file]:policy:_files' '--isolation[level]:level:(namespaces landlock)' \
        '--json[print one JSON object]' ;;
    policy) _cove_policy ;;
    image) _cove_image ;;
    session) _cove_session ;;
    ps) _arguments $_cove_server '(-a --all)'{-a,--all}'[past executions too]' '(-n --limit)'{-n,--limit}'[at most]:number:' \
        '--caller[of this key]:name:' '--json[print one JSON object]' ;;
    logs) _arguments $_cove_server '1:execution:' '(-f --follow)'{-f,--follow}'[until it ends]' '--raw[unfiltered]' '--json[print one JSON object]' ;;
    top) _arguments $_cove_server '--interval[between two looks]:duration:' '--json[print one JSON object]' ;;
    keys) _values 'subcommand' 'add[make a key]' 'list[names and limits]' 'revoke[make a key useless]' ;;
    audit) _values 'subcommand' 'verify[check the log]' ;;
    bench) _arguments '--json[figures]:file:_files' '--markdown[page]:file:_files' \
        '--svg[plot]:file:_files' '--docker-image[image with python3]:image:' '--image[stored image]:name:' \
        '--rounds[how often each row is measured]:number:' '--quick[fewer samples]' ;;
  esac
}

_cove "$@"
