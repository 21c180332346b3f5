import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createSecretBox } from '@recording-request/kit/secret-box';
import * as projects from '@recording-request/projects/config';
import { migrate as migrateProjects } from '@recording-request/projects/migrate';
import { startService as startProjects } from '@recording-request/projects/service';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import { projectSettings } from '@recording-request/testing/project-settings';
import { testCertificates } from '@recording-request/testing/test-certificates';
import { startTestService } from '@recording-request/testing/test-service';
import { until } from '@recording-request/testing/wait';
import * as webhooks from '@recording-request/webhooks/config';
import { sealedFor } from '@recording-request/webhooks/domain/sealing';
import { migrate as migrateWebhooks } from '@recording-request/webhooks/migrate';
import { startService as startWebhooks } from '@recording-request/webhooks/service';

const MAIN = `${import.meta.dirname}/../src/main.ts`;
// The service needs an address of submissions, but calls it only for long transcripts.
const NOWHERE = '127.0.0.1:1';
const DELIVERIES = 3;
const keyNamed = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

const opened = new AsyncDisposableStack();
let running: Awaited<ReturnType<typeof start>>;
before(async () => {
  running = await start();
});
after(() => opened.disposeAsync());

/** Starts both services with different keys. */
async function start() {
  const ofProjects = opened.use(
    await startTestService({
      ...{ name: 'projects', readConfig: projects.readConfig, startService: startProjects, migrate: migrateProjects },
    }),
  );
  const ofWebhooks = opened.use(
    await startTestService({
      ...{ name: 'webhooks', readConfig: webhooks.readConfig, startService: startWebhooks, migrate: migrateWebhooks },
      environment: ofProjects.environment,
      env: {
        ...(await testCertificates()).env('webhooks'),
        PROJECTS_GRPC: ofProjects.service.grpcAddress,
        ...{ SUBMISSIONS_GRPC: NOWHERE, PUBLIC_BASE_URL: 'https://videos.example', SECRETS_KEY: keyNamed('w1') },
      },
    }),
  );
  return { ofProjects, ofWebhooks };
}

/** Creates a project with a webhook secret, and deliveries. */
async function fill(): Promise<void> {
  const { ofProjects, ofWebhooks } = running;
  const operator = ofProjects.client<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService);
  const { user } = await operator.createUser({ userName: 'An owner' });
  const settings = projectSettings({ projectName: 'To reseal', webhookUrl: 'https://example.org/hook' });
  await ofProjects.client<ProjectsServiceServer>(ProjectsServiceService).createProject({
    ...{ ownerId: user!.userId, count: 1, settings, webhookSecret: 'a secret', idempotencyKey: '' },
    bodyHash: randomBytes(32),
  });
  const secrets = createSecretBox(ofWebhooks.config.secretsKey);
  const database = await ofWebhooks.stores.database('webhooks');
  const rows = Array.from({ length: DELIVERIES }, () => {
    const id = randomUUID();
    return {
      ...{ _id: id, projectId: randomUUID(), ownerId: user!.userId, submissionId: '', state: 'delivered' },
      ...{ eventType: 'submission.completed', createdAt: new Date(), step: 0, forced: false, attempts: [] },
      ...{ attemptCount: 1, sealedBody: secrets.seal('{}', sealedFor.delivery(id)) },
    };
  });
  await database.collection('deliveries').insertMany(rows as never[]);
}

/** Returns the number of texts of each service that must be resealed, as soon as the feed has its event. */
async function countTexts() {
  const { ofProjects, ofWebhooks } = running;
  const webhooks = await ofWebhooks.stores.database('webhooks');
  const feed = await until('project.created is in the feed', () => webhooks.collection('feed').countDocuments());
  const links = await (await ofProjects.stores.database('projects')).collection('links').countDocuments();
  // Projects has the webhook secret and the tokens of the links.
  return { projects: 1 + links, webhooks: DELIVERIES + feed };
}

/** Runs the command line as an operator does. */
async function admin(addresses: Record<string, string>, ...words: string[]) {
  const env = { ...process.env, ...(await testCertificates()).env('operator'), ...addresses };
  return await new Promise<{ code: number; stdout: string; stderr: string }>(resolve =>
    execFile(process.execPath, [MAIN, ...words], { env, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  );
}

test('reseal gives the texts of both services their new key, and reports which old keys can leave', async () => {
  await fill();
  const { ofProjects, ofWebhooks } = running;
  const texts = await countTexts();
  await ofWebhooks.service.stop();
  const ring = (old: string, id: string) => `${keyNamed(id)},${old}`;
  const { log } = ofProjects;
  const rings = {
    projects: ring(ofProjects.config.secretsKey, 'k2'),
    webhooks: ring(ofWebhooks.config.secretsKey, 'w2'),
  };
  await using renewedProjects = await startProjects({ ...ofProjects.config, secretsKey: rings.projects }, log);
  await using renewedWebhooks = await startWebhooks({ ...ofWebhooks.config, secretsKey: rings.webhooks }, log);
  const addresses = {
    PROJECTS_OPERATOR: renewedProjects.operatorAddress,
    WEBHOOKS_OPERATOR: renewedWebhooks.operatorAddress,
  };
  const would = JSON.parse((await admin(addresses, 'reseal', '--dry-run', '--json')).stdout);
  assert.deepEqual(would, {
    dryRun: true,
    projects: { lookedAt: texts.projects, resealed: texts.projects, keyId: 'k2', removableKeyIds: [] },
    webhooks: { lookedAt: texts.webhooks, resealed: texts.webhooks, keyId: 'w2', removableKeyIds: [] },
  });
  const { code, stdout } = await admin(addresses, 'reseal');
  assert.equal(code, 0);
  assert.equal(
    stdout,
    `projects: ${texts.projects} sealed again; all ${texts.projects} are sealed with "k2"
webhooks: ${texts.webhooks} sealed again; all ${texts.webhooks} are sealed with "w2"
projects: can leave SECRETS_KEY: k1
webhooks: can leave SECRETS_KEY: w1
Keep a removed key with the backups from before: a restore of them needs it
`,
  );
  // Both services start without the old keys.
  const without = (keys: string) => keys.split(',')[0]!;
  await using _projects = await startProjects({ ...ofProjects.config, secretsKey: without(rings.projects) }, log);
  await using _webhooks = await startWebhooks({ ...ofWebhooks.config, secretsKey: without(rings.webhooks) }, log);
});
