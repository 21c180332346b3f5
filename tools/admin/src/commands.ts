import { SCOPES } from '@recording-request/contract/resources/fields';

/** How a command is written, and what for. */
export interface CommandForm {
  name: string;
  /** What follows the name, in order. */
  words: readonly string[];
  /** The options that belong to it, as they are written in its help. */
  options: readonly string[];
  about: string;
  /** What else there is to know, a line each. */
  details?: readonly string[];
  /** The words of a call that works as it stands, but for the ids. */
  example: string;
}

const form = (
  name: string,
  [words, options]: [string[], string[]],
  about: string,
  example: string,
  ...details: string[]
): CommandForm => ({ name, words, options, about, example, details });

const ID = '0199c0de-0000-7000-8000-000000000001';
const ERASE_DETAILS = [
  'It shows what would go and asks; --yes does not ask, --dry-run only shows. It can be stopped: the same',
  'command goes on. Run again, it counts again in the stores: "nothing is left" is the proof. What stays,',
  'and why: docs/decisions/0005-erasure.md.',
];

export const COMMANDS: readonly CommandForm[] = [
  form(
    'users create',
    [['NAME'], ['--limit N']],
    'makes a new owner; without --limit they have no allowance limit',
    'users create "Ann Example" --limit 500',
  ),
  form('users list', [[], []], 'every user, in the order of their making', 'users list'),
  form('users show', [['USERID'], []], 'one user, with what belongs to them', `users show ${ID}`),
  form('users rename', [['USERID', 'NAME'], []], 'gives a user another name', `users rename ${ID} "Ann Other"`),
  form(
    'users disable',
    [['USERID'], []],
    'closes their tokens, dashboards and recording links',
    `users disable ${ID}`,
    'Their API tokens are 401 and their dashboards 404 within five seconds; their recording links take no new',
    'responses. Those that were begun go on and land. Nothing is deleted: see docs/decisions/0016-…',
  ),
  form('users enable', [['USERID'], []], 'opens what "users disable" closed', `users enable ${ID}`),
  form(
    'users set-limit',
    [['USERID', 'LIMIT'], []],
    'how many videos may be reserved in all: a number, or "none"',
    `users set-limit ${ID} none`,
  ),
  form(
    'tokens create',
    [['USERID'], ['--label TEXT', '--scopes a,b|all', '--expires-in-days N']],
    'makes an API token, and prints it this once',
    `tokens create ${ID} --label laptop --scopes projects:read,links:read --expires-in-days 90`,
    'All scopes and no expiry by default. Only its hash is kept: the token cannot be printed again.',
    `Scopes: ${SCOPES.join(', ')}.`,
  ),
  form(
    'tokens list',
    [['USERID'], []],
    'the tokens of a user, also those that have ended, and when each was last used',
    `tokens list ${ID}`,
    'The last use is noted at most once a minute.',
  ),
  form(
    'tokens rotate',
    [['TOKENID'], ['--overlap-hours N']],
    'gives a token a new secret, and prints it this once',
    `tokens rotate ${ID} --overlap-hours 0`,
    'The secret before it goes on for 24 hours, or as --overlap-hours says, at most 168; 0 ends it at once.',
    'A further rotation ends the oldest of the two. Id, label, scopes and end stay.',
  ),
  form('tokens revoke', [['TOKENID'], []], 'ends a token for good', `tokens revoke ${ID}`),
  form('projects list', [['USERID'], []], 'the projects of a user, newest first', `projects list ${ID}`),
  form(
    'usage',
    [[], ['--limit N']],
    'the owners who have used the largest share of their allowance, and how much is reserved in all',
    'usage --limit 50',
    '20 by default, at most 1,000. It is no metric: a series for each owner would have no bound.',
  ),
  form(
    'backlog',
    [[], []],
    'how many jobs wait and run, of media and of transcripts, and which were given back, and why',
    'backlog',
    'JOBS          media (video, thumbnails, sound) or transcript',
    'WAITING       can be taken by a worker now',
    'PAUSED        given back by a worker, and tried again after a pause',
    'RUNNING       begun by a worker',
    'OLDEST SINCE  when the oldest job was asked for, whether it waits or runs; "-" where there is none',
  ),
  form(
    'trace',
    [['ID'], []],
    'the trace in which a clip landed, by its id or that of its upload, and where to look at it',
    `trace ${ID}`,
    'An upload may still be landing, and a clip may have been erased. The address is made of',
    'TRACE_URL, which has {traceId} where the id goes; "npm run observe" has one of its own.',
  ),
  form(
    'migrate',
    [[], []],
    'brings databases, topics and the bucket to what this version needs, before its services start',
    'migrate',
    'Builds indexes, changes stored data, makes topics and the bucket, while the services of the version before go on. What',
    'was applied is not applied again; what was interrupted goes on. It needs the servers, not the services: docs/operations.md.',
  ),
  form(
    'uploads list',
    [[], ['--failed', '--limit N']],
    'uploads that were sent and have not landed, the one first that is kept for the shortest time',
    'uploads list --failed',
    'Those that ended as failed, whose bytes are kept until the time that is shown, and those whose landing',
    'failed and is tried again by itself; --failed shows the first alone. 100 by default.',
  ),
  form('uploads show', [['UPLOADID'], []], 'what is known of one upload', `uploads show ${ID}`),
  form(
    'uploads retry',
    [['UPLOADID'], []],
    'has an upload that ended as failed landed again, once the cause is fixed',
    `uploads retry ${ID}`,
    'Its bytes are kept for another hold, should it fail once more.',
  ),
  form(
    'media retry',
    [[], ['--from TIME', '--to TIME', '--status failed|with-error|both', '--dry-run']],
    'asks again for the media of clips that could not be made, once the cause is fixed',
    'media retry --from 2026-03-02T10:00:00Z --to 2026-03-02T14:00:00Z --status failed --dry-run',
    'Needs --from and --to: of the clips of all owners that landed from --from on, and before --to. "failed" are those without',
    'thumbnails or audio, "with-error" those that are ready but for a part that their mediaError names; both by default. What is kept no more, or',
    'has a transcript in the making, is left, and named. It can be stopped and run again: what was asked for is not asked',
    'for twice. Jobs wait for the turn of their owners: "backlog" shows how many. --dry-run only shows.',
  ),
  form(
    'dead-letters list',
    [[], ['--limit N']],
    'records of Kafka that no service could handle, the newest first',
    'dead-letters list --limit 20',
    '100 by default. Each is kept for seven days, and erased with its submission.',
  ),
  form(
    'dead-letters show',
    [['DEADLETTERID'], []],
    'what is known of one, without its content',
    'dead-letters show media.work-1-5-media',
  ),
  form(
    'dead-letters replay',
    [['DEADLETTERID|all'], []],
    'gives it again to the service that could not handle it, once the cause is fixed',
    'dead-letters replay all',
    '"all" begins with the oldest and leaves those whose content is not kept.',
  ),
  form(
    'dead-letters drop',
    [['DEADLETTERID'], []],
    'forgets its content for good',
    'dead-letters drop media.work-1-5-media',
  ),
  form(
    'erase submission',
    [['SUBMISSIONID'], ['--yes', '--dry-run']],
    'removes a submission for good: record, objects with all versions, uploads, bodies of webhooks',
    `erase submission ${ID} --dry-run`,
    ...ERASE_DETAILS,
  ),
  form(
    'erase project',
    [['PROJECTID'], ['--yes', '--dry-run']],
    'the same of a whole project, with its links and responses',
    `erase project ${ID}`,
    ...ERASE_DETAILS,
  ),
  form(
    'erase user',
    [['USERID'], ['--yes', '--dry-run']],
    'the same of a user: their tokens first, then their projects',
    `erase user ${ID} --yes`,
    ...ERASE_DETAILS,
  ),
  form(
    'check',
    [[], ['--deep', '--delete-orphans', '--orphan-age-hours N']],
    'holds MongoDB and the object store against each other: what is missing, of a wrong size, or orphaned',
    'check --deep',
    'Changes nothing without --delete-orphans, which removes what no record names and what was stored more than 24 hours',
    'ago, or as --orphan-age-hours says, at least 1. --deep reads every video, its sound and its pictures, and compares',
    'their SHA-256. The exit status is 1 where the two do not agree. It runs beside everything else.',
  ),
  form(
    'backup',
    [[], ['--to DIR']],
    'copies all databases at one moment, and every object that they name, while everything runs',
    'backup --to backups/recording-request',
    'Into an empty folder, or into that of an earlier backup, which it brings up to date: what is there whole is not copied',
    'again. It needs MONGO_URL, KAFKA_BROKERS and S3_… as the services have them, or a running "npm start". SECRETS_KEY is not in',
    'it. The exit status is 1 where something is missing in it, which is named: docs/operations.md, "Backup and restore".',
  ),
  form(
    'restore',
    [[], ['--from DIR']],
    'puts a backup into empty databases, an empty bucket and an empty Kafka, and migrates',
    'restore --from backups/recording-request',
    'Verifies every file before it writes anything. Before any service runs: none starts on what is half restored, and the',
    'same command goes on with it. Then start the services, and hold it against itself with "check --deep".',
  ),
  form(
    'reseal',
    [[], ['--dry-run']],
    'seals every stored secret with the first key of SECRETS_KEY, while everything runs',
    'reseal --dry-run',
    'Says which keys can leave SECRETS_KEY then. It can be stopped and run again: what is sealed with the first key',
    'stays as it is. --dry-run only counts. How a key is replaced: docs/operations.md, "Keys".',
  ),
];

/** The first words of commands that have two. */
export const GROUPS: readonly string[] = [
  ...new Set(COMMANDS.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0]!)),
];

export const commandsOf = (group: string): CommandForm[] =>
  COMMANDS.filter(({ name }) => name === group || name.startsWith(`${group} `));

/** A command as it is typed: its name, what follows, and its options. */
export const synopsisOf = ({ name, words, options }: CommandForm): string =>
  [name, ...words, ...options.map(option => `[${option}]`)].join(' ');
