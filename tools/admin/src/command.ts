import { parseArgs } from 'node:util';
import { SCOPES } from '@recording-request/contract/resources/fields';

export const USAGE = `Users, their tokens, projects and allowances; what is to be erased for good; and records that failed.

  users create NAME [--limit N]        a new owner; without --limit they have no allowance limit
  users list
  users set-limit USERID (N|none)      how many videos may be reserved in all
  tokens create USERID [--label TEXT] [--scopes a,b|all] [--expires-in-days N]
                                       all scopes and no expiry by default;
                                       prints the token once: only its hash is kept
  tokens list USERID
  tokens revoke TOKENID
  projects list USERID                 newest first
  backlog                              how many jobs wait and run, of media and of transcripts, and which were given
                                       back by their workers, and why
  erase submission SUBMISSIONID [--yes | --dry-run]
  erase project PROJECTID [--yes | --dry-run]
  erase user USERID [--yes | --dry-run]
                                       records, objects with all versions, uploads, and the bodies of webhooks; of a
                                       project its links and responses too; of a user their tokens first, then their
                                       projects. Shows what would go and asks; --yes does not ask, --dry-run only shows.
                                       It can be stopped: the same command goes on. Run again, it counts again in the
                                       stores: "nothing is left" is the proof. What stays, and why:
                                       docs/decisions/0005-erasure.md. By age: RETENTION_DAYS of submissions and
                                       WEBHOOK_LEDGER_DAYS of webhooks (deploy/README.md, data that must go)
  dead-letters list [--limit N]        records of Kafka that no service could handle, the newest first; 100 by default.
                                       Each is kept for seven days, and erased with its submission
  dead-letters show DEADLETTERID       what is known of one, without its content
  dead-letters replay (DEADLETTERID|all)
                                       gives it to the service that could not handle it again, once the cause is mended
  dead-letters drop DEADLETTERID       forgets its content for good

  --json   print JSON
  --help   print this

It talks to the services at PROJECTS_GRPC, SUBMISSIONS_GRPC and WEBHOOKS_GRPC (host:port; "erase" needs all three,
"dead-letters" and "backlog" the second alone), or else at the addresses in .stack/ready.json, which "npm start" writes.
`;

export type Command =
  | { name: 'help' }
  | { name: 'users create'; userName: string; videoLimit: number | undefined }
  | { name: 'users list' }
  | { name: 'users set-limit'; userId: string; videoLimit: number | undefined }
  | { name: 'tokens create'; userId: string; label: string; scopes: string[]; expiresInDays: number | undefined }
  | { name: 'tokens list'; userId: string }
  | { name: 'tokens revoke'; tokenId: string }
  | { name: 'projects list'; userId: string }
  | { name: 'backlog' }
  | EraseCommand
  | DeadLettersCommand;

export interface EraseCommand {
  name: 'erase submission' | 'erase project' | 'erase user';
  id: string;
  /** Without a question. */
  yes: boolean;
  dryRun: boolean;
}

export type DeadLettersCommand =
  | { name: 'dead-letters list'; limit: number }
  | { name: 'dead-letters show' | 'dead-letters drop'; id: string }
  /** `id` may be "all". */
  | { name: 'dead-letters replay'; id: string };

/** A command line that cannot be understood; the message says what to change. */
export class UsageError extends Error {}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  limit: { type: 'string' },
  label: { type: 'string' },
  scopes: { type: 'string' },
  'expires-in-days': { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  'dry-run': { type: 'boolean' },
} as const;

const ALLOWED: Record<string, string[]> = {
  'users create': ['limit'],
  'tokens create': ['label', 'scopes', 'expires-in-days'],
  'dead-letters list': ['limit'],
  'erase submission': ['yes', 'dry-run'],
  'erase project': ['yes', 'dry-run'],
  'erase user': ['yes', 'dry-run'],
};

/** Reads the words after the program's name. Throws UsageError. */
export function parseCommand(words: string[]): { command: Command; json: boolean } {
  const { values, positionals } = parsed(words);
  const json = values.json ?? false;
  if (values.help || positionals.length === 0) return { command: { name: 'help' }, json };
  const name = positionals.slice(0, 2).join(' ');
  const given = Object.keys(values).filter(option => option !== 'json');
  const foreign = given.find(option => !(ALLOWED[name] ?? []).includes(option));
  const command = commandOf(name, positionals.slice(2), values);
  if (foreign) throw new UsageError(`--${foreign} does not belong to "${name}"`);
  return { command, json };
}

type Options = ReturnType<typeof parsed>['values'];

function parsed(words: string[]) {
  try {
    return parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function commandOf(name: string, rest: string[], options: Options): Command {
  switch (name) {
    case 'users create': {
      const [userName] = exactly(name, rest, ['NAME']);
      const videoLimit = options.limit === undefined ? undefined : wholeNumber('--limit', options.limit, 0);
      return { name, userName: userName!, videoLimit };
    }
    case 'users list':
    case 'backlog':
      exactly(name, rest, []);
      return { name };
    case 'users set-limit': {
      const [userId, limit] = exactly(name, rest, ['USERID', 'N or none']);
      return { name, userId: userId!, videoLimit: limit === 'none' ? undefined : wholeNumber('the limit', limit!, 0) };
    }
    case 'tokens create': {
      const [userId] = exactly(name, rest, ['USERID']);
      const days = options['expires-in-days'];
      return {
        name,
        userId: userId!,
        label: options.label ?? '',
        scopes: scopesOf(options.scopes ?? 'all'),
        expiresInDays: days === undefined ? undefined : wholeNumber('--expires-in-days', days, 1),
      };
    }
    case 'projects list':
    case 'tokens list': {
      const [userId] = exactly(name, rest, ['USERID']);
      return { name, userId: userId! };
    }
    case 'tokens revoke': {
      const [tokenId] = exactly(name, rest, ['TOKENID']);
      return { name, tokenId: tokenId! };
    }
    case 'erase submission':
    case 'erase project':
    case 'erase user': {
      const [id] = exactly(name, rest, [`${name.split(' ')[1]!.toUpperCase()}ID`]);
      const [yes, dryRun] = [options.yes ?? false, options['dry-run'] ?? false];
      if (yes && dryRun) throw new UsageError('--yes and --dry-run exclude each other');
      return { name, id: id!, yes, dryRun };
    }
    case 'dead-letters list': {
      exactly(name, rest, []);
      const limit = options.limit === undefined ? LISTED : wholeNumber('--limit', options.limit, 1);
      return { name, limit };
    }
    case 'dead-letters show':
    case 'dead-letters replay':
    case 'dead-letters drop': {
      const [id] = exactly(name, rest, ['DEADLETTERID']);
      return { name, id: id! };
    }
    default:
      throw new UsageError(`there is no command "${name}"`);
  }
}

const LISTED = 100;
const TOKENS: Record<string, string> = {
  api_: 'an API token',
  prj_: "a project's dashboard token",
  vr_: 'the token of a recording link',
};

function exactly(name: string, rest: string[], wanted: string[]): string[] {
  if (rest.length === wanted.length) {
    for (const [at, what] of wanted.entries()) if (what.endsWith('ID')) notAToken(what, rest[at]!);
    return rest;
  }
  throw new UsageError(`"${name}" takes ${wanted.length === 0 ? 'nothing more' : wanted.join(' and ')}`);
}

/** A token is a secret: it is neither looked up nor shown again. */
function notAToken(what: string, id: string): void {
  const prefix = Object.keys(TOKENS).find(each => id.startsWith(each));
  const form = what === 'DEADLETTERID' ? 'an id of "dead-letters list"' : 'an id, a UUID';
  if (prefix) throw new UsageError(`what begins with ${prefix} is ${TOKENS[prefix]}; ${what} is ${form}`);
}

const UINT32_MAX = 4_294_967_295;

function wholeNumber(what: string, text: string, min: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= UINT32_MAX)) throw new UsageError(`${what} must be a whole number from ${min}`);
  return number;
}

function scopesOf(text: string): string[] {
  if (text === 'all') return [...SCOPES];
  const scopes = text.split(',').map(scope => scope.trim());
  const unknown = scopes.filter(scope => !(SCOPES as readonly string[]).includes(scope));
  if (unknown.length > 0) {
    throw new UsageError(`unknown scope "${unknown.join('", "')}"; known are ${SCOPES.join(', ')}, or all`);
  }
  return scopes;
}
