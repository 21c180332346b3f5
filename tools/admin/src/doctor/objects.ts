import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { loadConfig, StartError, url } from '@recording-request/kit/config';
import { MIGRATE_COMMAND } from '@recording-request/kit/run-migration';
import { certificateFile, tlsFault } from '@recording-request/kit/tls-files';
import { createObjects } from '@recording-request/kit-objects/objects';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { clockLines, type Line, ok, wrong } from './finding.ts';
import type { Needs } from './needs.ts';

const PROBE = 'checksum-probe';

/** Tries the rights of `needs` in the bucket. Leaves no object. */
export async function objectLines(
  env: NodeJS.ProcessEnv,
  needs: NonNullable<Needs['objects']>,
  limitMs: number,
): Promise<Line[]> {
  const reached = await reach(env, limitMs);
  if (needs === 'reach') return reached;
  const settings = loadConfig(env, objectVariables);
  const objects = createObjects(settings, { requestMs: limitMs, connections: 4 });
  const bucket = settings.s3Bucket;
  if (!(await objects.hasBucket())) {
    const missing = `the bucket ${bucket} does not exist`;
    return [
      ...reached,
      needs === 'create'
        ? ok(`${missing} yet; the migration creates it`)
        : wrong(`${missing}: run ${MIGRATE_COMMAND}, or create it`),
    ];
  }
  await objects.listPage('', '');
  if (needs === 'write' || needs === 'erase') await objects.requireWrite();
  // An erasure lists all versions of an object.
  if (needs === 'erase') await objects.holdings(PROBE);
  const can = { create: 'listed', read: 'listed', write: 'listed and written', erase: 'listed, written and erased' };
  return [...reached, ok(`the bucket ${bucket} can be ${can[needs]}`)];
}

const ADDRESS = { endpoint: url('S3_ENDPOINT', ''), ca: certificateFile('S3_CA_FILE', '') };

/** Any response proves that the address and TLS are right. */
async function reach(env: NodeJS.ProcessEnv, limitMs: number): Promise<Line[]> {
  const { endpoint, ca } = loadConfig(env, ADDRESS);
  const signal = AbortSignal.timeout(limitMs);
  const request = endpoint.startsWith('https:')
    ? https.get(endpoint, { signal, ...(ca && { ca: readFileSync(ca) }) })
    : http.get(endpoint, { signal });
  try {
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.destroy();
    return [ok('it answers'), ...clockLines('the object store', answer.headers.date)];
  } catch (error) {
    const fault = tlsFault(error, 'the object store', ca ? 'S3_CA_FILE' : 'Node’s own list: set S3_CA_FILE');
    throw fault === undefined ? (signal.aborted ? signal.reason : error) : new StartError(fault);
  }
}
