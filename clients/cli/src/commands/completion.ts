import { COMMON, type Command, command } from '../command.ts';
import { UsageFailure } from '../failures.ts';

/** Returns the command that prints completions of the other commands. */
export const completionOf = (commands: () => readonly Command[]) =>
  command({
    name: 'completion',
    summary: 'Prints the completion for bash or zsh.',
    args: ['bash|zsh'],
    flags: {},
    notes: `bash: add to ~/.bashrc   eval "$(rr completion bash)"
zsh:  add to ~/.zshrc    eval "$(rr completion zsh)"   (after compinit)`,
    async run({ args: [shell] }, { out }) {
      if (shell !== 'bash' && shell !== 'zsh') throw new UsageFailure('Completions exist for bash and zsh.');
      const script = shell === 'bash' ? bash(commands()) : zsh(commands());
      out.result({ shell, script }, script.trimEnd().split('\n'));
    },
  });

const flagsOf = ({ flags }: Command): string[] => Object.keys({ ...flags, ...COMMON }).map(flag => `--${flag}`);
const firstWords = (commands: readonly Command[]): string[] => [
  ...new Set(commands.map(({ name }) => name.split(' ')[0]!)),
];
const groupsOf = (commands: readonly Command[]): Map<string, string[]> => {
  const groups = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first, second] = name.split(' ');
    if (second) groups.set(first!, [...(groups.get(first!) ?? []), second]);
  }
  return groups;
};
const choicesOf = ({ flags }: Command): [string, readonly string[]][] =>
  Object.entries(flags).flatMap(([flag, { choices }]) => (choices ? [[`--${flag}`, choices]] : []));

/**
 * Returns the function that a shell calls. It sets `words` to the candidates, or to nothing if the shell must complete
 * a file name.
 */
function cases(commands: readonly Command[]): string {
  const groups = [...groupsOf(commands)].map(
    ([first, seconds]) => `    ${first}) candidates='${seconds.join(' ')}' ;;`,
  );
  const flags = commands.map(each => `      '${each.name}') candidates='${flagsOf(each).join(' ')}' ;;`);
  const choices = commands.flatMap(each =>
    choicesOf(each).map(([flag, values]) => `    '${each.name} ${flag}') candidates='${values.join(' ')}'; return ;;`),
  );
  const names = [...groupsOf(commands).keys()].join('|');
  return `__rr_candidates() { # words before the current one, the current one
  candidates=''
  local current=$1 first=$2 second=$3 last=$4 name=$2
  if [ -z "$first" ]; then candidates='${firstWords(commands).join(' ')} --help --version'; return; fi
  case $first in ${names}) name="$first $second" ;; esac
  if [ "$name" = "$first " ]; then
    case $first in
${groups.join('\n')}
    esac
    return
  fi
  case "$name $last" in
${choices.join('\n')}
    'completion completion') candidates='bash zsh'; return ;;
  esac
  case $current in
    -*) case $name in
${flags.join('\n')}
    esac ;;
  esac
}
`;
}

const bash = (commands: readonly Command[]): string => `${cases(commands)}
_rr() {
  local candidates current=\${COMP_WORDS[COMP_CWORD]} last=\${COMP_WORDS[COMP_CWORD-1]} first='' second=''
  if [ "$COMP_CWORD" -gt 1 ]; then first=\${COMP_WORDS[1]}; fi
  if [ "$COMP_CWORD" -gt 2 ]; then second=\${COMP_WORDS[2]}; fi
  __rr_candidates "$current" "$first" "$second" "$last"
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _rr rr
`;

const zsh = (commands: readonly Command[]): string => `${cases(commands)}
_rr() {
  local candidates current=\${words[CURRENT]} last=\${words[CURRENT-1]} first='' second=''
  if [ "$CURRENT" -gt 2 ]; then first=\${words[2]}; fi
  if [ "$CURRENT" -gt 3 ]; then second=\${words[3]}; fi
  __rr_candidates "$current" "$first" "$second" "$last"
  if [ -n "$candidates" ]; then compadd -- \${=candidates}; else _files; fi
}
compdef _rr rr
`;
