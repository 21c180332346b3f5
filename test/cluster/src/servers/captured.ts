import { text } from 'node:stream/consumers';
import { loadConfig } from '@recording-request/kit/config';
import { createObjects } from '@recording-request/kit-objects/objects';
import { objectVariables } from '@recording-request/kit-objects/variables';
import type { ServiceName } from '@recording-request/stack/service-plan';
import type { ClusterHarness } from '../harness.ts';

/** Runs with the code of the product and the variables of the pod; prints the outcome of each attempt on a line. */
const SHELL = `
const kit = path => import('/app/packages/' + path + '.ts');
const { loadConfig } = await kit('kit/src/config');
const attempt = async (what, work) => {
  const outcome = await work().then(() => 'DONE', error => error.codeName ?? error.code ?? error.cause?.Code ?? error.message);
  console.log([what, outcome].join('|'));
};
`;

const AT_MONGO = `${SHELL}
const { connectMongo } = await kit('kit-mongo/src/mongo');
const { mongoVariables } = await kit('kit-mongo/src/variables');
const settings = loadConfig(process.env, mongoVariables);
const connections = [];
for (const name of ['webhooks', 'projects', 'submissions', 'admin']) connections.push(await connectMongo(settings, name));
const [own, projects, submissions, admin] = connections.map(({ db }) => db);
await attempt('read its own deliveries', () => own.collection('deliveries').findOne());
await attempt('read a token', () => projects.collection('tokens').findOne());
await attempt('insert a token', () => projects.collection('tokens').insertOne({ _id: 'captured' }));
await attempt('change an allowance', () => projects.collection('users').updateOne({ _id: 'captured' }, { $set: { captured: true } }));
await attempt('drop a collection of projects', () => projects.dropCollection('captured'));
await attempt('delete a clip\\u2019s record', () => submissions.collection('submissions').deleteOne({ _id: 'captured' }));
await attempt('create a user', () => admin.command({ createUser: 'captured', pwd: 'captured', roles: ['root'] }));
for (const connection of connections) await connection.close();
`;

const FOLDER = 'submissions/captured/captured/';
const ORIGINAL_TEXT = 'as it came';
/** The objects of a clip, before and after its media are made. */
const OBJECTS = ['source', 'video.webm', 'audio.m4a', 'transcript-1.json'];

type Attempt = ['read' | 'overwrite' | 'delete', string];

const atStore = (attempts: Attempt[]) => `${SHELL}
const { createObjects } = await kit('objects');
const { text } = await import('node:stream/consumers');
const objects = createObjects(loadConfig(process.env, variables.objectVariables));
const ways = {
  read: async key => await text(await objects.get(key)),
  overwrite: key => objects.put(key, Buffer.from('other'), { contentType: 'text/plain' }),
  delete: key => objects.remove([key]),
};
for (const [way, name] of ${JSON.stringify(attempts)}) await attempt(way + ' ' + name, () => ways[way]('${FOLDER}' + name));
await attempt('delete all of a clip', () => objects.purge('${FOLDER}'));
`;

/**
 * For each service: the attempts of a shell in its pod, the one attempt that must succeed because the service needs it,
 * and the server's error for all other attempts.
 */
const SHELLS: { service: ServiceName; script: string; may: string; refusal: string }[] = [
  { service: 'webhooks', script: AT_MONGO, may: 'read its own deliveries', refusal: 'Unauthorized' },
  {
    ...{ service: 'media', may: 'read source', refusal: 'AccessDenied' },
    script: atStore([
      ['read', 'source'],
      ['overwrite', 'source'],
      ...OBJECTS.map((name): Attempt => ['delete', name]),
      ['read', 'video.webm'],
      ['overwrite', 'transcript-1.json'],
    ]),
  },
  {
    ...{ service: 'transcription', may: 'read audio.m4a', refusal: 'AccessDenied' },
    script: atStore([
      ['read', 'audio.m4a'],
      ['read', 'source'],
      ...['source', 'video.webm', 'audio.m4a'].map((name): Attempt => ['overwrite', name]),
      ...OBJECTS.map((name): Attempt => ['delete', name]),
    ]),
  },
];

/**
 * From a shell in a pod, with the pod's own secrets, tries to create a token at the servers and to change or delete the
 * data of other services.
 */
export async function tryServers({ product, serversEnv, violated, noted }: ClusterHarness): Promise<void> {
  const store = createObjects(loadConfig(serversEnv, objectVariables));
  const keys = OBJECTS.map(name => FOLDER + name);
  try {
    for (const key of keys) await store.put(key, Buffer.from(ORIGINAL_TEXT), { contentType: 'text/plain' });
    for (const { service, script, may, refusal } of SHELLS) {
      const [pod] = await product.pods(service);
      const shell = ['exec', pod!.name, '--container=service', '--', 'node', '--input-type=module', '--eval', script];
      const lines = (await product.in(shell)).trim().split('\n');
      const outcomes = lines.map(line => line.split('|') as [what: string, outcome: string]);
      if (!outcomes.some(([what]) => what === may)) violated(`a shell in a pod of ${service} did not try to ${may}`);
      for (const [what, outcome] of outcomes) {
        const wanted = what === may ? 'DONE' : refusal;
        if (outcome !== wanted) violated(`a shell in a pod of ${service} tried to ${what}: ${outcome}, not ${wanted}`);
      }
      noted(`${service}, at a server with its own secrets: ${outcomes.map(each => each.join(': ')).join(', ')}`);
    }
    for (const key of keys)
      if ((await text(await store.get(key))) !== ORIGINAL_TEXT) violated(`a shell in a pod has changed ${key}`);
  } finally {
    await store.remove(keys);
  }
}
