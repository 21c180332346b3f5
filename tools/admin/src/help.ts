import { COMMANDS, type CommandForm, commandsOf, GROUPS, synopsisOf } from './commands.ts';

const CALL = 'npm run admin --';
const COLUMN = 36;

const END = `
Options of every command: --json prints JSON, --data DIR uses the "npm start" that runs on DIR, --help explains the command,
with an example. Write them after the "--" of "npm run admin --"; otherwise npm reads them. In a container: node tools/admin/src/main.ts COMMAND.

Commands call the services at PROJECTS_OPERATOR, SUBMISSIONS_OPERATOR and WEBHOOKS_OPERATOR (host:port; "erase" needs all
three; "uploads", "media", "dead-letters", "backlog", "trace" and "check" need only the second; "webhooks" only the third) with the operator's certificate
(TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE). Without these variables, they use the addresses and the certificate that "npm start"
writes. "migrate", "doctor", "backup" and "restore" connect to the servers at MONGO_URL, KAFKA_BROKERS and S3_….
`;

const BEGINNING = `Manages users with their tokens, projects and allowances, erases data, and shows and retries failed work.

  ${CALL} users create "Ann Example"       prints the USERID of a new owner
  ${CALL} tokens create USERID             prints an API token for the owner, only this once
  ${CALL} tokens create --help             explains one command, with an example
`;

/** Returns the help on a command or a group of commands, or the full help when `topic` is neither. */
export function helpOn(topic: string): string {
  const [one] = COMMANDS.filter(({ name }) => name === topic);
  if (one) return `${helpOnCommand(one)}\n`;
  if (GROUPS.includes(topic)) return `${linesOf(commandsOf(topic))}\n${END}`;
  const groups = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0]!))].map(group => linesOf(commandsOf(group)));
  return `${BEGINNING}\n${groups.join('\n\n')}\n${END}`;
}

export function helpOnCommand(command: CommandForm): string {
  const details = (command.details ?? []).map(line => `  ${line}`);
  const parts = [`${CALL} ${synopsisOf(command)}`, `  ${command.about}`, ...details, '', 'for example:'];
  return [...parts, `  ${CALL} ${command.example}`].join('\n');
}

/** Returns a line for each command. The explanation is on the next line if the syntax exceeds its column. */
function linesOf(commands: CommandForm[]): string {
  const lines = commands.map(command => {
    const synopsis = `  ${synopsisOf(command)}`;
    const gap = synopsis.length < COLUMN ? ' '.repeat(COLUMN - synopsis.length) : `\n${' '.repeat(COLUMN)}`;
    return `${synopsis}${gap}${command.about}`;
  });
  return lines.join('\n');
}
