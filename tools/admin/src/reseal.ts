import type { ResealRequest, ResealResponse, UnopenedSecret } from '@recording-request/proto/operator/v1/projects';
import type { ResealCommand } from './command.ts';
import type { Report } from './run.ts';
import { NotDone, type Terminal } from './run-erase.ts';

const SERVICES = ['projects', 'webhooks'] as const;
type Service = (typeof SERVICES)[number];

/** For each service with sealed texts, the RPC that seals one batch of them again. */
export type Resealing = Record<Service, (request: Pick<ResealRequest, 'cursor' | 'dryRun'>) => Promise<ResealResponse>>;

interface Pass extends Pick<ResealResponse, 'lookedAt' | 'resealed' | 'changedMeanwhile' | 'keyId' | 'otherKeyIds'> {
  unopened: number;
  /** The first texts that could not be opened. */
  named: UnopenedSecret[];
}

interface Resealed extends Pick<Pass, 'lookedAt' | 'resealed' | 'keyId'> {
  removableKeyIds: string[];
}

// The second pass finds texts that were sealed during the first pass. If the third pass still finds some, more passes
// would not help.
const PASSES = 3;
const NAMED = 20;
const PROGRESS_MS = 2_000;

/**
 * Reseals every service's texts, one service after the other. If a service has texts that cannot be resealed, continues
 * with the next service, and fails with NotDone at the end. Other failures are DomainErrors.
 */
export async function reseal(services: Resealing, { dryRun }: ResealCommand, terminal: Terminal): Promise<Report> {
  const done: Partial<Record<Service, Resealed>> = {};
  const faults: string[] = [];
  for (const service of SERVICES)
    try {
      done[service] = await resealAll(service, services[service], dryRun, terminal);
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      faults.push(error.message);
    }
  const lines = linesOf(done, dryRun);
  if (faults.length > 0) throw new NotDone([...faults, ...lines].join('\n'));
  return { lines, value: { dryRun, ...done } };
}

/**
 * Walks all sealed texts of a service until a whole pass finds no text under another key. Fails with NotDone when a
 * text cannot be opened, or when a process keeps sealing with an older key.
 */
async function resealAll(
  service: Service,
  batch: Resealing[Service],
  dryRun: boolean,
  terminal: Terminal,
): Promise<Resealed> {
  let resealed = 0;
  for (let passes = 1; ; passes++) {
    const pass = await onePass(service, batch, dryRun, terminal);
    resealed += pass.resealed;
    if (pass.unopened > 0) throw new NotDone(unopenedSentence(service, pass));
    const { lookedAt, keyId, otherKeyIds } = pass;
    const isLast = pass.resealed === 0 && pass.changedMeanwhile === 0;
    if (dryRun || isLast) return { lookedAt, resealed, keyId, removableKeyIds: isLast ? otherKeyIds : [] };
    if (passes === PASSES)
      throw new NotDone(
        `A process still seals with a key other than "${keyId}": give every process of ${service} the same SECRETS_KEY, then run it again.`,
      );
  }
}

async function onePass(
  service: Service,
  reseal: Resealing[Service],
  dryRun: boolean,
  { show }: Terminal,
): Promise<Pass> {
  const pass: Pass = {
    ...{ lookedAt: 0, resealed: 0, changedMeanwhile: 0, unopened: 0 },
    ...{ named: [], keyId: '', otherKeyIds: [] },
  };
  let shownAt = performance.now();
  let cursor = '';
  do {
    const batch = await reseal({ cursor, dryRun });
    // During a rotation, two replicas may use different keys. Each replica would undo the work of the other.
    if (pass.keyId !== '' && pass.keyId !== batch.keyId)
      throw new NotDone(`The processes of ${service} have different keys: roll SECRETS_KEY out first.`);
    for (const count of ['lookedAt', 'resealed', 'changedMeanwhile'] as const) pass[count] += batch[count];
    pass.unopened += batch.unopened.length;
    pass.named.push(...batch.unopened.slice(0, NAMED - pass.named.length));
    ({ keyId: pass.keyId, otherKeyIds: pass.otherKeyIds, nextCursor: cursor } = batch);
    if (performance.now() - shownAt < PROGRESS_MS) continue;
    shownAt = performance.now();
    show(`${service}: looked at ${number(pass.lookedAt)}, ${number(pass.resealed)} of them not with "${pass.keyId}"`);
  } while (cursor !== '');
  return pass;
}

function unopenedSentence(service: Service, { named, unopened, keyId }: Pass): string {
  const each = named.map(({ record, keyId: id, knownKey }) => {
    if (knownKey) return `${record} does not open with the key "${id}"`;
    return `${record} is sealed with ${id === '' ? 'a key without a name' : `the key "${id}", which is not in SECRETS_KEY`}`;
  });
  const more = unopened > named.length ? ` and ${unopened - named.length} more` : '';
  return `No key can leave SECRETS_KEY of ${service} yet: ${each.join('; ')}${more}. The others are sealed with "${keyId}".`;
}

function linesOf(done: Partial<Record<Service, Resealed>>, dryRun: boolean): string[] {
  const each = Object.entries(done);
  const lines = each.map(([service, { lookedAt, resealed, keyId }]) => {
    const count = `${service}: ${number(resealed)}`;
    if (dryRun && resealed > 0) return `${count} of ${number(lookedAt)} would be sealed with "${keyId}"`;
    return `${count} sealed again; all ${number(lookedAt)} are sealed with "${keyId}"`;
  });
  for (const [service, { removableKeyIds }] of each)
    if (removableKeyIds.length > 0) lines.push(`${service}: can leave SECRETS_KEY: ${removableKeyIds.join(', ')}`);
  if (each.some(([, { removableKeyIds }]) => removableKeyIds.length > 0))
    lines.push('Keep a removed key with the backups from before: a restore of them needs it');
  return lines;
}

const number = (count: number): string => count.toLocaleString('en');
