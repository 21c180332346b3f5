import { SCOPES } from '@recording-request/contract/resources/fields';

/** The syntax and purpose of a command. */
export interface CommandForm {
  name: string;
  /** The arguments after the name, in order. */
  words: readonly string[];
  /** The options of the command, as its help shows them. */
  options: readonly string[];
  about: string;
  /** Further lines of the help. */
  details?: readonly string[];
  /** The words of a valid call, except the ids. */
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
  'Shows the data to be erased and asks for confirmation. --yes skips the question; --dry-run only shows. After an',
  'interruption, the same command continues. A second run counts again in the stores: "nothing is left" proves the erasure.',
  'docs/decisions/0005-erasure.md lists the data that stays, with the reasons.',
];

export const COMMANDS: readonly CommandForm[] = [
  form(
    'users create',
    [['NAME'], ['--limit N']],
    'creates an owner; without --limit the owner has no allowance limit',
    'users create "Ann Example" --limit 500',
  ),
  form('users list', [[], []], 'lists every user, the oldest first', 'users list'),
  form('users show', [['USERID'], []], 'shows a user, with their tokens and projects', `users show ${ID}`),
  form('users rename', [['USERID', 'NAME'], []], 'renames a user', `users rename ${ID} "Ann Other"`),
  form(
    'users disable',
    [['USERID'], []],
    'disables a user: closes their tokens, dashboards and recording links',
    `users disable ${ID}`,
    'Within five seconds, their API tokens return 401, their dashboards 404, and their recording links accept no new',
    'responses. Responses under way still land. Nothing is deleted: see docs/decisions/0016-…',
  ),
  form('users enable', [['USERID'], []], 'reverses "users disable"', `users enable ${ID}`),
  form(
    'users set-limit',
    [['USERID', 'LIMIT'], []],
    'sets how many videos the owner may reserve in all: a number, or "none"',
    `users set-limit ${ID} none`,
  ),
  form(
    'tokens create',
    [['USERID'], ['--label TEXT', '--scopes a,b|all', '--expires-in-days N']],
    'creates an API token, and prints it only this once',
    `tokens create ${ID} --label laptop --scopes projects:read,links:read --expires-in-days 90`,
    'All scopes and no expiry by default. Only its hash is stored: the token cannot be printed again.',
    `Scopes: ${SCOPES.join(', ')}.`,
  ),
  form(
    'tokens list',
    [['USERID'], []],
    'lists a user’s tokens, including expired ones, and the last use of each',
    `tokens list ${ID}`,
    'The last use is recorded at most once a minute.',
  ),
  form(
    'tokens rotate',
    [['TOKENID'], ['--overlap-hours N']],
    'replaces the secret of a token, and prints the new one only this once',
    `tokens rotate ${ID} --overlap-hours 0`,
    'The old secret works for 24 hours, or for --overlap-hours, at most 168; 0 ends it at once.',
    'The next rotation also ends it. Id, label, scopes and expiry stay.',
  ),
  form('tokens revoke', [['TOKENID'], []], 'revokes a token for good', `tokens revoke ${ID}`),
  form('projects list', [['USERID'], []], 'lists the projects of a user, newest first', `projects list ${ID}`),
  form(
    'usage',
    [[], ['--limit N']],
    'lists the owners with the largest used share of their allowance, and the total that is reserved',
    'usage --limit 50',
    '20 by default, at most 1,000. This is not a metric: a series for each owner would be unbounded.',
  ),
  form(
    'backlog',
    [[], []],
    'shows how many media and transcript jobs wait and run, which ones workers gave back, and why',
    'backlog',
    'JOBS          media (video, thumbnails, sound) or transcript',
    'WAITING       a worker can take it now',
    'PAUSED        a worker gave it back; it is retried after a pause',
    'RUNNING       a worker has begun it',
    'OLDEST SINCE  the time of the request for the oldest job, waiting or running; "-" if there is none',
  ),
  form(
    'trace',
    [['ID'], []],
    'shows the trace in which a clip landed and its URL, by the id of the clip or of its upload',
    `trace ${ID}`,
    'An upload may still be landing, and a clip may have been erased. The URL comes from',
    'TRACE_URL, with {traceId} in place of the id; "npm run observe" sets another one.',
  ),
  form(
    'doctor',
    [[], ['--as SERVICE', '--timeout S']],
    'tries every server with the settings of the environment, and says what is wrong and what to change',
    'doctor --as submissions --timeout 10',
    'Tries MongoDB, Kafka, the object store, Redis, the speech endpoint, the collector and PUBLIC_BASE_URL, all at the same time; a',
    'server whose address is not set is left out. It changes no data: it sends a second of silence to the speech endpoint, an empty',
    'export to the collector, and a byte with a wrong checksum to the store. --as reads the settings of a service (or migrate, backup)',
    'and tries the servers and rights that this service needs. --timeout limits each wait, 5 s by default. The exit status is 1 if',
    'anything is wrong. In Kubernetes: the component deploy/k8s/doctor, or "helm test".',
  ),
  form(
    'migrate',
    [[], []],
    'migrates databases, topics and the bucket to this version, before its services start',
    'migrate',
    'Builds indexes, changes stored data, creates topics and the bucket, while the services of the previous version run. It skips',
    'applied steps and continues interrupted ones. It needs the servers, not the services: docs/operations.md.',
  ),
  form(
    'uploads list',
    [[], ['--failed', '--limit N']],
    'lists uploads that were sent and have not landed, the first to expire first',
    'uploads list --failed',
    'Shows failed uploads, whose bytes are kept until the time shown, and those whose landing',
    'failed and is retried automatically; --failed shows only the failed ones. 100 by default.',
  ),
  form('uploads show', [['UPLOADID'], []], 'shows one upload', `uploads show ${ID}`),
  form(
    'uploads retry',
    [['UPLOADID'], []],
    'retries the landing of a failed upload, once the cause is fixed',
    `uploads retry ${ID}`,
    'If it fails again, its bytes are kept for another hold period.',
  ),
  form(
    'media retry',
    [[], ['--from TIME', '--to TIME', '--status failed|with-error|both', '--dry-run']],
    'retries the media of clips whose media failed, once the cause is fixed',
    'media retry --from 2026-03-02T10:00:00Z --to 2026-03-02T14:00:00Z --status failed --dry-run',
    'Needs --from and --to: takes the clips of all owners that landed from --from on and before --to. "failed" clips have no',
    'thumbnails or audio; "with-error" clips are ready except for a part that their mediaError names; both by default. It skips and names clips',
    'whose bytes are gone or whose transcript is in progress. It can be stopped and run again: no media is requested',
    'twice. Jobs wait for the turn of their owners: "backlog" shows how many. --dry-run only shows.',
  ),
  form(
    'webhooks pause',
    [[], []],
    'stops all webhooks: events are recorded and wait',
    'webhooks pause',
    'Running attempts end, and the other processes of webhooks follow within WEBHOOK_POLL_MS (5 s). Events are never lost, and',
    'waiting events do not count as late. A restore leaves webhooks paused.',
  ),
  form('webhooks resume', [[], []], 'sends webhooks again, first those that wait', 'webhooks resume'),
  form('webhooks status', [[], []], 'shows whether webhooks are paused, and how many wait', 'webhooks status'),
  form(
    'dead-letters list',
    [[], ['--limit N']],
    'lists Kafka records that no service could handle, the newest first',
    'dead-letters list --limit 20',
    '100 by default. Each is kept for seven days, and erased with its submission.',
  ),
  form(
    'dead-letters show',
    [['DEADLETTERID'], []],
    'shows one, without its content',
    'dead-letters show media.work-1-5-media',
  ),
  form(
    'dead-letters replay',
    [['DEADLETTERID|all'], []],
    'sends it again to the service that could not handle it, once the cause is fixed',
    'dead-letters replay all',
    '"all" begins with the oldest and skips those whose content is not kept.',
  ),
  form(
    'dead-letters drop',
    [['DEADLETTERID'], []],
    'deletes its content for good',
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
    'erase link',
    [['LINKID'], ['--yes', '--dry-run']],
    'closes a link of one person for good, and removes the person and the clips; LINKID is the tokenId of the API',
    `erase link ${ID} --dry-run`,
    ...ERASE_DETAILS,
  ),
  form(
    'erase project',
    [['PROJECTID'], ['--yes', '--dry-run']],
    'removes a whole project for good, with its links and responses',
    `erase project ${ID}`,
    ...ERASE_DETAILS,
  ),
  form(
    'erase user',
    [['USERID'], ['--yes', '--dry-run']],
    'removes a user for good: their tokens first, then their projects',
    `erase user ${ID} --yes`,
    ...ERASE_DETAILS,
  ),
  form(
    'check',
    [[], ['--deep', '--delete-orphans', '--orphan-age-hours N']],
    'compares MongoDB with the object store: reports missing, wrong-sized and orphaned objects',
    'check --deep',
    'Changes nothing without --delete-orphans, which removes objects that no record names and that were stored more than 24 hours',
    'ago, or --orphan-age-hours, at least 1. --deep reads every video, its sound and its pictures, and compares',
    'their SHA-256. The exit status is 1 if the two differ. The services can run meanwhile.',
  ),
  form(
    'backup',
    [[], ['--to DIR|s3://BUCKET[/PREFIX]']],
    'copies all databases at one moment, and every object that they name, while the system runs',
    'backup --to s3://recording-request-backup',
    'Writes to an empty folder or prefix, or updates an earlier backup there: a complete object is not copied',
    'again. It needs the MONGO_URL, KAFKA_BROKERS and S3_… of the services, or a running "npm start". It does not copy',
    'SECRETS_KEY. The exit status is 1 if the backup lacks an object, which it names: docs/operations.md, "Backup and restore".',
    'The bucket must exist. Without BACKUP_S3_… variables it is at the store of S3_ENDPOINT, which copies the objects itself. For',
    'another store, set BACKUP_S3_ENDPOINT, BACKUP_S3_ACCESS_KEY and BACKUP_S3_SECRET_KEY (docs/settings.md): the bytes pass',
    'through this process and touch no disk. In a bucket with versions, the backup also deletes the versions that it does not need.',
    'A backup has no time limit, but fails after 30 minutes without progress (BACKUP_STALL_SECONDS).',
  ),
  form(
    'restore',
    [[], ['--from DIR|s3://BUCKET[/PREFIX]', '--send-webhooks']],
    'restores a backup into empty databases, an empty bucket and an empty Kafka, and migrates',
    'restore --from s3://recording-request-backup',
    'Reads every file and verifies its SHA-256 before it writes anything. Run it before any service: no service starts on a',
    'partial restore, and the same command continues it. Then start the services, and verify the data with "check --deep". The',
    'services send no webhooks until "webhooks resume", so a trial restore sends nothing to real owners; --send-webhooks leaves',
    'them on. The BACKUP_S3_… variables are those of "backup".',
  ),
  form(
    'reseal',
    [[], ['--dry-run']],
    'seals every stored secret and webhook body with the first key of SECRETS_KEY, while the system runs',
    'reseal --dry-run',
    'Reports for projects and for webhooks which keys can then leave SECRETS_KEY; keep such a key as long as a backup sealed with',
    'it exists. It can be stopped and run again: a text sealed with the first key stays as it is. --dry-run only counts. To replace',
    'a key: docs/recipes/rotate-secrets-key.md.',
  ),
];

/** The first words of two-word commands. */
export const GROUPS: readonly string[] = [
  ...new Set(COMMANDS.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0]!)),
];

export const commandsOf = (group: string): CommandForm[] =>
  COMMANDS.filter(({ name }) => name === group || name.startsWith(`${group} `));

/** Returns a command's syntax: its name, arguments and options. */
export const synopsisOf = ({ name, words, options }: CommandForm): string =>
  [name, ...words, ...options.map(option => `[${option}]`)].join(' ');
