import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Config, readConfig } from '@recording-request/projects/config';
import { type ProjectsService, startService } from '@recording-request/projects/service';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import { projectSettings } from '@recording-request/testing/project-settings';
import { startTestService, type TestService } from '@recording-request/testing/test-service';

const MAIN = `${import.meta.dirname}/../src/main.ts`;

let running: TestService<Config, ProjectsService>;
before(async () => {
  running = await startTestService({ readConfig, startService, env: { LOG_LEVEL: 'error' } });
});
after(() => running?.[Symbol.asyncDispose]());

/** Runs the command line as an operator does. */
function admin(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...process.env, PROJECTS_GRPC: running.service.grpcAddress };
  return new Promise(resolve =>
    execFile(process.execPath, [MAIN, ...words], { env, timeout: 30_000 }, (error, stdout, stderr) =>
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

test('an operator makes a user, gives them a token, changes the limit and revokes the token', async () => {
  const user = await json('users', 'create', 'A new owner', '--limit', '5');
  assert.equal(user.videoLimit, 5);
  assert.equal((await json('users', 'set-limit', user.userId, 'none')).videoLimit, null);

  const made = await admin('tokens', 'create', user.userId, '--label', 'first', '--scopes', 'all');
  assert.match(made.stdout, /^api_[0-9A-Za-z]{38}\n$/, 'the token alone, so that a script can take it');
  const [token] = await json('tokens', 'list', user.userId);
  assert.equal(token.scopes.length, 5);
  assert.equal((await json('tokens', 'revoke', token.tokenId)).tokenId, token.tokenId);
  assert.match((await admin('tokens', 'list', user.userId)).stdout, /revoked/);
  assert.match((await admin('users', 'list')).stdout, /A new owner/);
});

test('the projects of a user, by whose ids they are erased', async () => {
  const { userId } = await json('users', 'create', 'With projects');
  assert.equal((await admin('projects', 'list', userId)).stdout, 'no projects yet\n');
  const projectId = await newProject(userId, 'First\u009b2J');
  const [line = ''] = (await admin('projects', 'list', userId)).stdout.split('\n');
  assert.match(line, new RegExp(`^${projectId}  \\d{4}-\\S+Z  First 2J$`), 'a name cannot speak to the terminal');
  assert.equal((await json('projects', 'list', userId))[0].projectId, projectId);
  assert.deepEqual(await admin('projects', 'list', randomUUID()), {
    code: 1,
    stdout: '',
    stderr: 'admin: There is no such user.\n',
  });
});

test('a fault is one sentence and a status', async () => {
  const unknown = await admin('tokens', 'list', 'nobody');
  assert.deepEqual(unknown, { code: 1, stdout: '', stderr: 'admin: There is no such user.\n' });
  const wrong = await admin('users', 'remove');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /no command "users remove"/);
  assert.match((await admin('--help')).stdout, /tokens create USERID/);
});
