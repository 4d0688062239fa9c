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

/** Finds the command that the words lead to, then offers what may follow it, or the choices of the option before. */
function bashCompletion(program: Command): string {
  const commands = commandsOf(program, [])
  const paths = commands
    .filter(({ path }) => path !== '')
    .map(({ path }) => {
      const cut = path.lastIndexOf(' ')
      return `"${path.slice(0, Math.max(cut, 0))} ${path.slice(cut + 1)}") path="${path}" ;;`
    })
  const words = commands.map((it) => `"${it.path}") words="${it.words.join(' ')}" ;;`)
  const choices = commands.flatMap(({ path, command }) =>
    command.options.flatMap(({ long, argChoices }) =>
      long && argChoices ? [`"${path} ${long}") words="${argChoices.join(' ')}" ;;`] : [],
    ),
  )
  return `_cuelight() {
  local path="" words="" current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path \${COMP_WORDS[index]}" in
      ${paths.join('\n      ')}
    esac
  done
  case "$path" in
    ${words.join('\n    ')}
  esac
  case "$path $previous" in
    ${choices.join('\n    ')}
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
