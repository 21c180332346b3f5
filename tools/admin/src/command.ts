import { resolve } from 'node:path';
import { SCOPES } from '@recording-request/contract/resources/fields';
import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';
import { isUuid } from '@recording-request/kit/ids';
import { locationOf } from './backup/location.ts';
import { COMMANDS, type CommandForm, GROUPS } from './commands.ts';
import { WORKLOADS, type Workload } from './doctor/needs.ts';
import { helpOnCommand } from './help.ts';

export type Command =
  /** `topic`: a command or a group of them, "" for all. */
  | { name: 'help'; topic: string }
  | { name: 'users create'; userName: string; videoLimit: number | undefined }
  | { name: 'users list' }
  | { name: 'users show'; userId: string }
  | { name: 'users rename'; userId: string; userName: string }
  | { name: 'users disable' | 'users enable'; userId: string }
  | { name: 'users set-limit'; userId: string; videoLimit: number | undefined }
  | { name: 'tokens create'; userId: string; label: string; scopes: string[]; expiresInDays: number | undefined }
  | { name: 'tokens list'; userId: string }
  | { name: 'tokens rotate'; tokenId: string; overlapHours: number }
  | { name: 'tokens revoke'; tokenId: string }
  | { name: 'projects list'; userId: string }
  | { name: 'backlog' }
  | UsageCommand
  | { name: 'migrate' }
  | TraceCommand
  | BackupCommand
  | RestoreCommand
  | ResealCommand
  | DoctorCommand
  | CheckCommand
  | EraseCommand
  | DeadLettersCommand
  | MediaCommand
  | WebhooksCommand
  | UploadsCommand;

export interface BackupCommand {
  name: 'backup';
  /** A folder, or s3://BUCKET[/PREFIX]. */
  to: string;
}

export interface RestoreCommand {
  name: 'restore';
  from: string;
  /** True to leave webhooks on, because the restored system replaces the lost one. */
  sendWebhooks: boolean;
}

export interface WebhooksCommand {
  name: 'webhooks pause' | 'webhooks resume' | 'webhooks status';
}

export interface TraceCommand {
  name: 'trace';
  /** The id of a submission or an upload. */
  id: string;
}

export interface CheckCommand {
  name: 'check';
  deep: boolean;
  deleteOrphans: boolean;
  orphanAgeHours: number;
}

export interface DoctorCommand {
  name: 'doctor';
  /** The workload whose settings and servers are tried; undefined for every server of the environment. */
  workload: Workload | undefined;
  /** The limit of each wait. */
  timeoutSeconds: number;
}

export interface ResealCommand {
  name: 'reseal';
  dryRun: boolean;
}

export interface UsageCommand {
  name: 'usage';
  /** The number of owners to show. */
  limit: number;
}

export interface EraseCommand {
  name: 'erase submission' | 'erase link' | 'erase project' | 'erase user';
  id: string;
  /** Skips the question. */
  yes: boolean;
  dryRun: boolean;
}

export const MEDIA_STATUSES = ['failed', 'with-error', 'both'] as const;

export interface MediaCommand {
  name: 'media retry';
  from: Date;
  to: Date;
  status: (typeof MEDIA_STATUSES)[number];
  dryRun: boolean;
}

export type DeadLettersCommand =
  | { name: 'dead-letters list'; limit: number }
  | { name: 'dead-letters show' | 'dead-letters drop'; id: string }
  /** `id` may be "all". */
  | { name: 'dead-letters replay'; id: string };

export type UploadsCommand =
  | { name: 'uploads list'; limit: number; failedOnly: boolean }
  | { name: 'uploads show' | 'uploads retry'; uploadId: string };

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  data: { type: 'string' },
  limit: { type: 'string' },
  label: { type: 'string' },
  scopes: { type: 'string' },
  'expires-in-days': { type: 'string' },
  'overlap-hours': { type: 'string' },
  failed: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  'dry-run': { type: 'boolean' },
  deep: { type: 'boolean' },
  'delete-orphans': { type: 'boolean' },
  'orphan-age-hours': { type: 'string' },
  to: { type: 'string' },
  from: { type: 'string' },
  'send-webhooks': { type: 'boolean' },
  status: { type: 'string' },
  as: { type: 'string' },
  timeout: { type: 'string' },
} as const;

/** The options of every command. */
const EVERYWHERE = ['json', 'data'];

const LISTED = 100;
const TIMEOUT_SECONDS = 5;
const TIMEOUT_SECONDS_MAX = 300;
const USAGE_SHOWN = 20;
const USAGE_MAX = 1_000;
// The default number of hours for which an old token stays valid. A webhook's old secret stays valid for the same time.
const OVERLAP_HOURS = 24;
// The maximum that the service accepts.
const OVERLAP_HOURS_MAX = 168;
// After this time, the process that wrote an object has recorded the object or has failed.
const ORPHAN_AGE_HOURS = 24;
const ORPHAN_AGE_HOURS_MAX = 24 * 3_650;
// A hundred years. A larger number could exceed the last valid date.
const EXPIRES_DAYS_MAX = 36_500;

export interface CommandLine {
  command: Command;
  json: boolean;
  /** The folder of the `npm start` that the command uses; undefined for the default one. */
  dataDir?: string;
}

/** Parses the words after the program's name. Throws UsageError. */
export function parseCommand(words: string[]): CommandLine {
  const { values, positionals } = parsed(words);
  const json = values.json ?? false;
  const where = values.data === undefined ? {} : { dataDir: resolve(folder('--data', values.data)) };
  const [first = ''] = positionals;
  const form = formOf(positionals);
  if (values.help) return { command: { name: 'help', topic: form?.name ?? first }, json };
  if (!form && positionals.length < 2 && (first === '' || GROUPS.includes(first)))
    return { command: { name: 'help', topic: first }, json };
  if (!form) throw new UsageError(`There is no command "${positionals.slice(0, 2).join(' ')}".`);
  const rest = positionals.slice(form.name.split(' ').length);
  const allowed = form.options.map(option => option.slice('--'.length).split(' ')[0]);
  const foreign = Object.keys(values).find(option => !EVERYWHERE.includes(option) && !allowed.includes(option));
  if (foreign) throw new UsageError(`--${foreign} does not belong to "${form.name}"\n${helpOnCommand(form)}`);
  return { command: commandOf(form.name, exactly(form, rest), values), json, ...where };
}

const formOf = (positionals: string[]): CommandForm | undefined =>
  COMMANDS.find(({ name }) => name === positionals.slice(0, name.split(' ').length).join(' '));

type Options = ReturnType<typeof parsed>['values'];

function parsed(words: string[]) {
  return parseCommandLine({ args: words, options: OPTIONS, allowPositionals: true });
}

function commandOf(name: string, [id = '', second = '']: string[], options: Options): Command {
  switch (name) {
    case 'users create':
      return { name, userName: id, videoLimit: optional('--limit', options.limit, 0) };
    case 'users list':
    case 'backlog':
    case 'migrate':
    case 'webhooks pause':
    case 'webhooks resume':
    case 'webhooks status':
      return { name };
    case 'users show':
    case 'users disable':
    case 'users enable':
    case 'projects list':
    case 'tokens list':
      return { name, userId: id };
    case 'users rename':
      return { name, userId: id, userName: second };
    case 'users set-limit':
      return { name, userId: id, videoLimit: second === 'none' ? undefined : wholeNumber('the limit', second, 0) };
    case 'tokens create':
      return {
        name,
        userId: id,
        label: options.label ?? '',
        scopes: scopesOf(options.scopes ?? 'all'),
        expiresInDays: optional('--expires-in-days', options['expires-in-days'], 1, EXPIRES_DAYS_MAX),
      };
    case 'tokens rotate':
      return {
        name,
        tokenId: id,
        overlapHours: optional('--overlap-hours', options['overlap-hours'], 0, OVERLAP_HOURS_MAX) ?? OVERLAP_HOURS,
      };
    case 'tokens revoke':
      return { name, tokenId: id };
    case 'trace':
      if (!isUuid(id)) throw new UsageError('ID must be the UUID of a clip or an upload');
      return { name, id: id.toLowerCase() };
    case 'erase submission':
    case 'erase link':
    case 'erase project':
    case 'erase user': {
      const [yes, dryRun] = [options.yes ?? false, options['dry-run'] ?? false];
      if (yes && dryRun) throw new UsageError('--yes and --dry-run exclude each other');
      return { name, id, yes, dryRun };
    }
    case 'check':
      return {
        name,
        deep: options.deep ?? false,
        deleteOrphans: options['delete-orphans'] ?? false,
        orphanAgeHours:
          optional('--orphan-age-hours', options['orphan-age-hours'], 1, ORPHAN_AGE_HOURS_MAX) ?? ORPHAN_AGE_HOURS,
      };
    case 'backup':
      return { name, to: place('--to', options.to) };
    case 'restore':
      return { name, from: place('--from', options.from), sendWebhooks: options['send-webhooks'] ?? false };
    case 'doctor':
      return doctorOf(options);
    case 'reseal':
      return { name, dryRun: options['dry-run'] ?? false };
    case 'media retry':
      return mediaOf(options);
    case 'uploads list':
      return { name, limit: optional('--limit', options.limit, 1) ?? LISTED, failedOnly: options.failed ?? false };
    case 'uploads show':
    case 'uploads retry':
      return { name, uploadId: id };
    case 'usage':
      return { name, limit: optional('--limit', options.limit, 1, USAGE_MAX) ?? USAGE_SHOWN };
    case 'dead-letters list':
      return { name, limit: optional('--limit', options.limit, 1) ?? LISTED };
    case 'dead-letters show':
    case 'dead-letters replay':
    case 'dead-letters drop':
      return { name, id };
    default:
      throw new Error(`"${name}" is not read`);
  }
}

function doctorOf(options: Options): DoctorCommand {
  const names = Object.keys(WORKLOADS) as Workload[];
  const workload = names.find(name => name === options.as);
  if (options.as !== undefined && !workload) throw new UsageError(`--as must be one of ${names.join(', ')}`);
  const timeoutSeconds = optional('--timeout', options.timeout, 1, TIMEOUT_SECONDS_MAX) ?? TIMEOUT_SECONDS;
  return { name: 'doctor', workload, timeoutSeconds };
}

function mediaOf(options: Options): MediaCommand {
  const [from, to] = [timeAt('--from', options.from), timeAt('--to', options.to)];
  if (from >= to) throw new UsageError('--from must be before --to');
  const status = MEDIA_STATUSES.find(each => each === (options.status ?? 'both'));
  if (!status) throw new UsageError(`--status must be one of ${MEDIA_STATUSES.join(', ')}`);
  return { name: 'media retry', from, to, status, dryRun: options['dry-run'] ?? false };
}

// Requires a zone: without one, the time would be the machine's local time.
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

function timeAt(option: string, text = ''): Date {
  const time = new Date(TIME.test(text) ? text : Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`${option} must be a time with its zone, such as 2026-03-02T10:00:00Z`);
  return time;
}

const TOKENS: Record<string, string> = {
  api_: 'an API token',
  prj_: "a project's dashboard token",
  vr_: 'the token of a recording link',
};

function exactly(form: CommandForm, rest: string[]): string[] {
  if (rest.length !== form.words.length) {
    const wanted = form.words.length === 0 ? 'nothing more' : form.words.join(' and ');
    throw new UsageError(`"${form.name}" takes ${wanted}\n${helpOnCommand(form)}`);
  }
  const empty = form.words.find((_what, at) => rest[at]?.trim() === '');
  if (empty) throw new UsageError(`${empty} must not be empty`);
  for (const [at, what] of form.words.entries()) if (/ID\b/.test(what)) notAToken(what.split('|')[0]!, rest[at]!);
  return rest;
}

/** Refuses a token instead of an id. A token is a secret, so the tool neither looks it up nor prints it. */
function notAToken(what: string, id: string): void {
  const prefix = Object.keys(TOKENS).find(each => id.startsWith(each));
  const form = what === 'DEADLETTERID' ? 'an id of "dead-letters list"' : 'an id, a UUID';
  if (prefix) throw new UsageError(`a text that begins with ${prefix} is ${TOKENS[prefix]}; ${what} must be ${form}`);
}

function folder(option: string, path: string | undefined): string {
  if (!path?.trim()) throw new UsageError(`${option} must name a folder`);
  return path;
}

function place(option: string, text: string | undefined): string {
  locationOf(option, text);
  return text!;
}

const UINT32_MAX = 4_294_967_295;

const optional = (what: string, text: string | undefined, min: number, max?: number): number | undefined =>
  text === undefined ? undefined : wholeNumber(what, text, min, max);

function wholeNumber(what: string, text: string, min: number, max = UINT32_MAX): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) throw new UsageError(`${what} must be a whole number from ${min} to ${max}`);
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
