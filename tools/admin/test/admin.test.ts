import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Config, readConfig } from '@recording-request/projects/config';
import { migrate } from '@recording-request/projects/migrate';
import { type ProjectsService, startService } from '@recording-request/projects/service';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import { projectSettings } from '@recording-request/testing/project-settings';
import { testCertificates } from '@recording-request/testing/test-certificates';
import { startTestService, type TestService } from '@recording-request/testing/test-service';
import { parseCommand } from '../src/command.ts';
import { type AccountsCommand, runCommand } from '../src/run.ts';

const MAIN = `${import.meta.dirname}/../src/main.ts`;

let running: TestService<Config, ProjectsService>;
let operator: Record<string, string>;
before(async () => {
  operator = (await testCertificates()).env('operator');
  running = await startTestService({
    name: 'projects',
    readConfig,
    startService,
    migrate,
    env: { LOG_LEVEL: 'error' },
  });
});
after(() => running?.[Symbol.asyncDispose]());

/** Runs the command line as an operator does. */
const admin = (...words: string[]) =>
  run({ ...process.env, ...operator, PROJECTS_OPERATOR: running.service.operatorAddress }, MAIN, ...words);

function run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve =>
    execFile(process.execPath, args, { env, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  );
}

async function newProject(ownerId: string, projectName: string): Promise<string> {
  const projects = running.client<ProjectsServiceServer>(ProjectsServiceService);
  const settings = projectSettings({ projectName });
  const { project } = await projects.createProject({
    ...{ ownerId, count: 1, settings, webhookSecret: '', idempotencyKey: '', bodyHash: randomBytes(32) },
  });
  return project!.projectId;
}

const json = async (...words: string[]) => JSON.parse((await admin(...words, '--json')).stdout);

test('an operator creates a user and a token, changes the limit and revokes the token', async () => {
  const user = await json('users', 'create', 'A new owner', '--limit', '5');
  assert.equal(user.videoLimit, 5);
  assert.equal((await json('users', 'set-limit', user.userId, 'none')).videoLimit, null);

  const made = await admin('tokens', 'create', user.userId, '--label', 'first', '--scopes', 'all');
  assert.match(made.stdout, /^api_[0-9A-Za-z]{38}\n$/, 'only the token, so that a script can read it');
  const [token] = await json('tokens', 'list', user.userId);
  assert.equal(token.scopes.length, 7);
  assert.equal((await json('tokens', 'revoke', token.tokenId)).tokenId, token.tokenId);
  assert.match((await admin('tokens', 'list', user.userId)).stdout, /revoked/);
  assert.match(
    (await admin('users', 'list')).stdout,
    /^USER ID +STATE +RESERVED +LIMIT +CREATED +NAME\n.*A new owner$/ms,
  );
});

test('an operator rotates a token, and disables, renames, shows and enables its user', async () => {
  const operator = running.client<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService);
  // Runs in this process: a separate process for each command would take half a second longer.
  const said = async (...words: string[]) => {
    const { lines, note } = await runCommand(operator, parseCommand(words).command as AccountsCommand);
    return { text: lines.join('\n'), note };
  };
  const { user } = await operator.createUser({ userName: 'To be disabled' });
  const userId = user!.userId;
  await said('tokens', 'create', userId);
  const tokenId = (await operator.listApiTokens({ userId })).tokens[0]!.apiTokenId;
  const rotated = await said('tokens', 'rotate', tokenId, '--overlap-hours', '0');
  assert.match(rotated.text, /^api_[0-9A-Za-z]{38}$/);
  assert.equal(rotated.note, 'This token is shown only now: keep it. The previous token has ended.');
  assert.match((await said('tokens', 'rotate', tokenId)).note!, /The previous token works until \d{4}-\S+Z\.$/);
  const [columns, row] = (await said('tokens', 'list', userId)).text.split('\n');
  assert.match(columns!, /^TOKEN ID +STATE +LAST USED +CREATED +ENDS +OLD SECRET +SCOPES +LABEL$/);
  assert.match(row!, new RegExp(`^${tokenId} +live +- +\\d{4}-\\S+Z +never +until \\d{4}-\\S+Z +`));

  assert.match((await said('users', 'disable', userId)).text, new RegExp(`^${userId} +disabled `, 'm'));
  assert.match((await said('users', 'rename', userId, 'Renamed')).text, /Renamed$/);
  const shown = (await said('users', 'show', userId)).text;
  assert.match(shown, /^name +Renamed\nstate +disabled since \d{4}-\S+Z$.*^tokens +1 live, 0 ended$/ms);
  assert.match((await said('users', 'enable', userId)).text, new RegExp(`^${userId} +enabled `, 'm'));
});

test('lists the projects of a user, with the ids for an erasure', async () => {
  const { userId } = await json('users', 'create', 'With projects');
  assert.equal((await admin('projects', 'list', userId)).stdout, 'no projects yet\n');
  const projectId = await newProject(userId, 'First\u009b2J');
  const [columns, line = ''] = (await admin('projects', 'list', userId)).stdout.split('\n');
  assert.match(columns!, /^PROJECT ID +CREATED +EXPIRES +NAME$/);
  const row = new RegExp(`^${projectId}  \\d{4}-\\S+Z +never +First 2J$`);
  assert.match(line, row, 'a name cannot control the terminal');
  assert.equal((await json('projects', 'list', userId))[0].projectId, projectId);
  assert.deepEqual(await admin('projects', 'list', randomUUID()), {
    code: 1,
    stdout: '',
    stderr: 'admin: There is no such user.\n',
  });
});

test('reports a failure as one sentence and an exit status', async () => {
  const unknown = await admin('tokens', 'list', 'nobody');
  assert.deepEqual(unknown, { code: 1, stdout: '', stderr: 'admin: There is no such user.\n' });
  const wrong = await admin('users', 'remove');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /no command "users remove"/);
  assert.match(wrong.stderr, /"npm run admin -- --help" shows every command/);
  assert.match((await admin()).stdout, /tokens create USERID/, 'without a command it prints its help');
});
