import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type {
  ProjectsOperatorServiceServer,
  ResealResponse,
  UnopenedSecret,
} from '@recording-request/proto/operator/v1/projects';
import type { ResealCommand } from './command.ts';
import type { Report } from './run.ts';
import { NotDone, type Terminal } from './run-erase.ts';

export type Resealing = Pick<ClientOf<ProjectsOperatorServiceServer>, 'reseal'>;

interface Pass extends Pick<ResealResponse, 'lookedAt' | 'resealed' | 'changedMeanwhile' | 'keyId' | 'otherKeyIds'> {
  unopened: number;
  /** The first secrets that could not be opened. */
  named: UnopenedSecret[];
}

// The second pass finds secrets that were sealed during the first pass. If the third pass still finds some, more passes
// would not help.
const PASSES = 3;
const NAMED = 20;
const PROGRESS_MS = 2_000;

/**
 * Walks all sealed secrets until a whole pass finds no secret under another key. Fails with NotDone when a secret
 * cannot be opened, or when a process keeps sealing with an older key. Other failures are DomainErrors.
 */
export async function reseal(service: Resealing, { dryRun }: ResealCommand, terminal: Terminal): Promise<Report> {
  let resealed = 0;
  for (let passes = 1; ; passes++) {
    const pass = await onePass(service, dryRun, terminal);
    resealed += pass.resealed;
    if (pass.unopened > 0) throw new NotDone(unopenedSentence(pass));
    if (dryRun) return report(pass, resealed, dryRun);
    if (pass.resealed === 0 && pass.changedMeanwhile === 0) return report(pass, resealed, dryRun);
    if (passes === PASSES)
      throw new NotDone(
        `A process still seals with a key other than "${pass.keyId}": give every process of the projects service the same SECRETS_KEY, then run it again.`,
      );
  }
}

async function onePass(service: Resealing, dryRun: boolean, { show }: Terminal): Promise<Pass> {
  const pass: Pass = {
    ...{ lookedAt: 0, resealed: 0, changedMeanwhile: 0, unopened: 0 },
    ...{ named: [], keyId: '', otherKeyIds: [] },
  };
  let shownAt = performance.now();
  let cursor = '';
  do {
    const batch = await service.reseal({ cursor, dryRun });
    // During a rotation, two replicas may use different keys. Each replica would undo the work of the other.
    if (pass.keyId !== '' && pass.keyId !== batch.keyId)
      throw new NotDone('The processes of the projects service have different keys: roll SECRETS_KEY out first.');
    for (const count of ['lookedAt', 'resealed', 'changedMeanwhile'] as const) pass[count] += batch[count];
    pass.unopened += batch.unopened.length;
    pass.named.push(...batch.unopened.slice(0, NAMED - pass.named.length));
    ({ keyId: pass.keyId, otherKeyIds: pass.otherKeyIds, nextCursor: cursor } = batch);
    if (performance.now() - shownAt < PROGRESS_MS) continue;
    shownAt = performance.now();
    show(
      `looked at ${pass.lookedAt.toLocaleString('en')}, ${pass.resealed.toLocaleString('en')} of them not with "${pass.keyId}"`,
    );
  } while (cursor !== '');
  return pass;
}

function unopenedSentence({ named, unopened, keyId }: Pass): string {
  const each = named.map(({ record, keyId: id, knownKey }) => {
    if (knownKey) return `${record} does not open with the key "${id}"`;
    return `${record} is sealed with ${id === '' ? 'a key without a name' : `the key "${id}", which is not in SECRETS_KEY`}`;
  });
  const more = unopened > named.length ? ` and ${unopened - named.length} more` : '';
  return `No key can leave SECRETS_KEY yet: ${each.join('; ')}${more}. The others are sealed with "${keyId}".`;
}

function report({ lookedAt, keyId, otherKeyIds, resealed: left }: Pass, resealed: number, dryRun: boolean): Report {
  const removable = dryRun && left > 0 ? [] : otherKeyIds;
  const value = { dryRun, lookedAt, resealed, keyId, removableKeyIds: removable };
  const count = resealed.toLocaleString('en');
  if (dryRun && left > 0) return { lines: [`${count} of ${lookedAt} would be sealed with "${keyId}"`], value };
  const lines = [`${count} sealed again; all ${lookedAt.toLocaleString('en')} are sealed with "${keyId}"`];
  if (removable.length > 0)
    lines.push(
      `can leave SECRETS_KEY: ${removable.join(', ')}. Keep ${removable.length > 1 ? 'these keys' : 'this key'} with the backups from before: a restore of them needs ${removable.length > 1 ? 'them' : 'it'}`,
    );
  return { lines, value };
}
