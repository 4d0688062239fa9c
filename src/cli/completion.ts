import { Argument, Command } from 'commander'

/**
 * Prints a script that completes commands, options and their choices, made from the commands themselves. `program` is
 * read when it is done, with all that was added by then.
 */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('print a script that completes the command line in a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh']))
    .addHelpText(
      'after',
      '\nFor bash, in ~/.bashrc:  source <(cuelight completion bash)\nFor zsh, in ~/.zshrc, behind compinit:  source <(cuelight completion zsh)',
    )
    .action((shell: string) => {
      process.stdout.once('error', () => process.exit(0))
      const bash = bashCompletion(program)
      process.stdout.write(shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bash}` : bash)
    })
}

/** A case for each command: the words that may follow it, and the choices of its options. */
function bashCompletion(program: Command): string {
  const cases = commandsOf(program, [])
    .map(({ path, words }) => `    "${path}") words="${words.join(' ')}" ;;`)
    .join('\n')
  const choices = commandsOf(program, [])
    .flatMap(({ path, command }) =>
      command.options.flatMap(({ long, argChoices }) =>
        long && argChoices ? [`    "${path} ${long}") words="${argChoices.join(' ')}" ;;`] : [],
      ),
    )
    .join('\n')
  return `_cuelight() {
  local path="" word words="" current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$path $word" in
${commandsOf(program, [])
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      "${parentOf(path)} ${path.slice(path.lastIndexOf(' ') + 1)}") path="${path}" ;;`)
  .join('\n')}
    esac
  done
  case "$path" in
${cases}
  esac
  case "$path $previous" in
${choices}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _cuelight cuelight
`
}

type Completed = { path: string; command: Command; words: string[] }

/** Every command below and with this one, by the words that lead to it. */
function commandsOf(command: Command, names: string[]): Completed[] {
  const options = command.createHelp().visibleOptions(command)
  const words = [
    ...command.commands.map((part) => part.name()),
    ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ...options.flatMap(({ long }) => (long ? [long] : [])),
  ]
  const path = names.join(' ')
  return [{ path, command, words }, ...command.commands.flatMap((part) => commandsOf(part, [...names, part.name()]))]
}

const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf(' '), 0))
