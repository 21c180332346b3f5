import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ok } from '@recording-request/harness/http-client';
import { ensure } from '@recording-request/stack/install/ensure';
import { PNG } from './picture.ts';
import type { SeedData } from './seed.ts';

/** The number of test cases for each operation and phase. */
const EXAMPLES = 10;
const SEED = 4;
const LIMIT_MS = 480_000;

// A stateful run can send the `confirm` of a proposed erasure, and so erase a project. This check would report the
// missing project, because it accepts only DELETE as a deletion. The configuration file cannot exclude the check,
// because `--checks all` includes it again.
const EXCLUDED = 'ensure_resource_availability';

export interface SchemathesisRun {
  code: number | null;
  output: string;
  /** For example "1640 generated, 1640 passed". */
  cases: string;
}

/** Installs Schemathesis once per machine. Returns a function that runs it. */
export async function prepareSchemathesis(
  seed: SeedData,
  log: (line: string) => void,
): Promise<() => Promise<SchemathesisRun>> {
  const { schemathesis } = await ensure(['schemathesis'], log);
  const { command, args, env } = schemathesis!;
  const { scratch, baseUrl } = seed.system;
  const config = join(scratch, 'schemathesis.toml');
  await writeFile(config, await configOf(seed));
  // tus needs several requests, so suites/own-recorders.ts tests it with two clients instead.
  const only = ['--exclude-path-regex', '^/r/'];
  const options = [
    ...only,
    '--checks',
    'all',
    '--exclude-checks',
    EXCLUDED,
    '--max-examples',
    String(EXAMPLES),
    '--seed',
    String(SEED),
  ];
  const quiet = ['--no-color', '--generation-database', 'none', '--continue-on-failure', '--request-timeout', '30'];
  const authorization = `Authorization: Bearer ${seed.ada.token}`;
  const run = ['run', `${baseUrl}/api/openapi.json`, '--header', authorization, ...options, ...quiet];
  return async () => {
    const child = spawn(command, [...args, '--config-file', config, ...run], {
      cwd: scratch,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const [printed, messages, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    const cases = /^Test cases:\n\s*(.+)$/m.exec(printed)?.[1] ?? '';
    return { code, cases, output: `${printed}\n${messages}`.trim() };
  };
}

/**
 * Configures the values that the schemas do not contain: a real cursor, a project whose shared link can grow, and ids
 * that exist. Enables every check. The contract permits some errors for valid data: 422 for a reused key with another
 * body, 400 for a time range that ends before it begins and for a cursor together with a time, and 416 for a range beyond the end.
 */
async function configOf({ ada, full, clip }: SeedData): Promise<string> {
  const grows = await ada.createProject({ projectName: 'Grows', count: 1, sharedLinkEnabled: true });
  const branded = await ada.createProject({ projectName: 'Branded', count: 1 });
  ok(await ada.ask(`/api/projects/${branded.projectId}/logo`, { method: 'PUT', body: PNG }));
  const project = `/api/projects/${full.projectId}`;
  const pageOf = async (list: string) => ok(await ada.ask(`${project}/${list}?limit=1`));
  const { deliveries, pagination } = await pageOf('webhook-deliveries');
  const { nextCursor } = ok(await ada.ask('/api/events?limit=1'));
  const { pagination: projects } = ok(await ada.ask('/api/projects?limit=1'));
  const clipCursor = Buffer.from(`1:${clip.submissionId}`).toString('base64url');
  const linkCursor = Buffer.from('1:1').toString('base64url');
  const theirs = { 'path.projectId': full.projectId };
  const shown = { 'path.projectToken': full.projectToken };
  const OPERATIONS: [which: string, parameters: Record<string, string>][] = [
    ['include-operation-id = "listProjects"', { 'query.cursor': projects.nextCursor }],
    ['include-operation-id = "listSubmissions"', { 'query.cursor': clipCursor }],
    ['include-operation-id = "listWebhookDeliveries"', { 'query.cursor': pagination.nextCursor }],
    ['include-operation-id = "updateProject"', { 'path.projectId': grows.projectId }],
    ['include-operation-id = "setLogo"', { 'path.projectId': grows.projectId }],
    ['include-operation-id = "removeLogo"', { 'path.projectId': grows.projectId }],
    ['include-operation-id = "getLogo"', { 'path.projectId': branded.projectId }],
    ['include-operation-id = "addLinks"', { 'path.projectId': grows.projectId }],
    ['include-operation-id = "actOnLinks"', theirs],
    ['include-operation-id = "eraseProject"', { 'path.projectId': grows.projectId }],
    ['include-operation-id = "getErasure"', { 'path.projectId': grows.projectId }],
    ['include-operation-id = "listLinks"', { ...theirs, 'query.cursor': linkCursor }],
    ['include-operation-id = "exportLinksCsv"', theirs],
    ['include-operation-id = "getSharedLinkQrCode"', theirs],
    ['include-operation-id = "dashboardGetSharedLinkQrCode"', { 'path.projectToken': full.projectToken }],
    ['include-operation-id = "dashboardListSubmissions"', { ...shown, 'query.cursor': clipCursor }],
    ['include-operation-id = "dashboardListLinks"', { ...shown, 'query.cursor': linkCursor }],
    ['include-path-regex = "^/project/.*submissionId"', { ...shown, 'path.submissionId': clip.submissionId }],
    ['include-path-regex = "/webhook-test$"', theirs],
    // Does not wait for an event, because a wait would only make the run longer.
    ['include-operation-id = "listEvents"', { 'query.after': nextCursor, 'query.wait': '0' }],
    ['include-operation-id = "redeliverWebhooks"', theirs],
    ['include-operation-id = "redeliverWebhook"', { ...theirs, 'path.deliveryId': deliveries[0].deliveryId }],
    ['include-path-regex = "^/api/.*submissionId"', { ...theirs, 'path.submissionId': clip.submissionId }],
  ];
  const settings = OPERATIONS.map(([which, parameters]) => {
    const pairs = Object.entries(parameters).map(([name, value]) => `"${name}" = ${JSON.stringify(value)}`);
    return `[[operations]]\n${which}\nparameters = { ${pairs.join(', ')} }\n`;
  });
  return `warnings.fail-on = true

${settings.join('\n')}
# No schema says that count is at least the number of recipients, and ten thousand of them may be longer than a body.
[[operations]]
include-operation-id = "createProject"
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 409, 413, 422, 429]

# after and since exclude each other.
[[operations]]
include-operation-id = "listEvents"
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 429]

# A text is seldom a CSV file, a generated person may repeat, and a dry run accepts rows with faults in order to list them.
[[operations]]
include-operation-id = "addLinks"
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 409, 422, 429]
checks.negative_data_rejection.expected-statuses = [200, 400, 401, 403, 404, 409, 413, 415, 422, 428, 429, "5xx"]

# No pattern says that a language tag repeats no part.
[[operations]]
include-operation-id = "updateLink"
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 429]

# No pattern says which characters the name of a host may have in other scripts.
[[operations]]
include-operation-id = "updateProject"
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 409, 429]

# No pattern says which bytes are an image.
[[operations]]
include-operation-id = "setLogo"
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 413, 429]

# No pattern says which colours are dark enough.
[[operations]]
include-operation-id = "updateCurrentUser"
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 429]

# A key may repeat, here with another link: these requests are refused, which is no mismatch of the schema.
[[operations]]
include-operation-id = "remindLink"
warnings = ["missing_auth"]
checks.positive_data_acceptance.expected-statuses = ["2xx", 401, 403, 404, 409, 422, 429]

[[operations]]
include-operation-id = "actOnLinks"
checks.positive_data_acceptance.expected-statuses = ["2xx", 401, 403, 404, 409, 422, 429]

[[operations]]
include-operation-id = "redeliverWebhooks"
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 429]

[[operations]]
include-path-regex = "/(video|audio|thumbnail-.*|project\\\\.zip)$"
checks.positive_data_acceptance.expected-statuses = ["2xx", "3xx", 401, 403, 404, 416, 429]
`;
}
