#compdef cove

_cove_policies() {
  _alternative 'presets:preset:(strict strict_js strict_rust data_analysis host_local)' 'files:policy file:_files'
}

_cove_run() {
  _arguments -s \
    '(-l --language)'{-l,--language}'[language of the program]:language:(bash bun deno javascript lua perl php python r ruby sh typescript)' \
    '(-c --code)'{-c,--code}'[the program itself]:program:' \
    '--stdin[what the program reads]:file:_files' \
    '*--file[put a file into the working directory]:PATH[=NAME]:_files' \
    '--out[write output files below a directory]:directory:_files -/' \
    '*--env[set a variable]:NAME=VALUE:' \
    '--input[JSON for run(input), or @FILE]:json:' \
    '--timeout[wall-clock limit]:duration (10s):' \
    '--memory[memory limit]:size (256m):' \
    '--cpus[CPU share]:number:' \
    '--pids[most processes]:number:' \
    '--disk[most that may be written]:size (64m):' \
    '--cpu-time[most CPU time]:duration (10s):' \
    '--limit-scope[how limits must hold]:scope:(strongest tree)' \
    '--policy[policy name or file]:policy:_cove_policies' \
    '--backend[what runs it]:backend:(native local)' \
    '--isolation[level of the native backend]:level:(namespaces landlock)' \
    '--profile[a language profile of your own]:file:_files' \
    '--truncate[how long output is shortened]:style:(head head_tail notice)' \
    '--explain[say what would be enforced]' \
    '--json[print one JSON object]' \
    '--contents[contents of output files in the JSON]' \
    '--raw[let escape sequences reach the terminal]' \
    '--help[show the options]' \
    '1:program:_files' \
    '*:argument:_files'
}

_cove_policy() {
  if (( CURRENT == 2 )); then
    _values 'subcommand' 'show[what a policy says]' 'check[whether a backend can enforce it]'
  else
    _arguments '2:policy:_cove_policies' '--backend[backend]:backend:(native local)' \
      '--isolation[level]:level:(namespaces landlock)' '--json[print one JSON object]'
  fi
}

_cove() {
  if (( CURRENT == 2 )); then
    _values 'command' 'run[run a program in a sandbox]' 'doctor[what this host can enforce]' \
      'languages[languages usable here]' 'policy[show or check policies]' \
      'bench[measure what isolation costs]' 'help[show help]' '--help' '--version'
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    run) _cove_run ;;
    doctor) _arguments '--prove[attack this host]' '--json[print one JSON object]' \
        '--isolation[level]:level:(namespaces landlock)' ;;
    languages) _arguments '--json[print one JSON object]' '*--profile[profile file]:file:_files' ;;
    policy) _cove_policy ;;
    bench) _arguments '--json[figures]:file:_files' '--markdown[page]:file:_files' \
        '--svg[plot]:file:_files' '--docker-image[image with python3]:image:' \
        '--rounds[how often each row is measured]:number:' '--quick[fewer samples]' ;;
  esac
}

_cove "$@"
