import type { Command } from './command.ts';
import { completionOf } from './commands/completion.ts';
import { listen } from './commands/listen.ts';
import { login, whoami } from './commands/login.ts';
import { mcp } from './commands/mcp.ts';
import { invite, missing } from './commands/people.ts';
import { projects } from './commands/projects.ts';
import { pull } from './commands/pull.ts';
import { send } from './commands/send.ts';
import { trigger } from './commands/trigger.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...[login, whoami, ...projects, invite, missing, pull, listen, trigger, send, mcp],
  completionOf(() => COMMANDS),
];

type Found =
  | { kind: 'command'; command: Command; rest: string[] }
  | { kind: 'overview'; commands: readonly Command[]; prefix: string }
  | { kind: 'unknown'; sentence: string };

/** Returns the command that the words name, and the rest of the words. */
export function find(argv: string[], commands: readonly Command[] = COMMANDS): Found {
  const [first, second] = argv;
  const isHelp = (word: string | undefined) => word === undefined || word === '--help' || word === '-h';
  if (isHelp(first) || first === 'help') return { kind: 'overview', commands, prefix: '' };
  const exact = commands.find(({ name }) => name === first);
  if (exact) return { kind: 'command', command: exact, rest: argv.slice(1) };
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length === 0)
    return { kind: 'unknown', sentence: `There is no command “${first}”. rr --help lists the commands.` };
  const inGroup = group.find(({ name }) => name === `${first} ${second}`);
  if (inGroup) return { kind: 'command', command: inGroup, rest: argv.slice(2) };
  if (isHelp(second)) return { kind: 'overview', commands: group, prefix: first! };
  const names = group.map(({ name }) => name.split(' ')[1]).join(', ');
  return {
    kind: 'unknown',
    sentence: `There is no command “${first} ${second}”. After ${first} comes one of ${names}.`,
  };
}
