import { setTimeout as pause } from 'node:timers/promises';
import { createBatcher } from '@recording-request/kit/batcher';
import { DomainError } from '@recording-request/kit/errors';
import type { Logger } from '@recording-request/kit/log';
import type { Response } from '../domain/response.ts';
import { landsClip, type Transfer, takesUse } from '../domain/transfer.ts';
import type { LinkKey } from './links.ts';
import type { Models } from './models.ts';
import { responseAt } from './responses.ts';
import { Settler } from './settler.ts';
import { type AppliedOutcome, createTransferSteps, refOf } from './transfer-steps.ts';

export interface TransferOptions {
  /** How long the lease of a new transfer lasts. The replica that begins the transfer gets it. */
  leaseMs: number;
  /** How long applied transfers are collected before they are settled together. */
  settleDelayMs: number;
  log: Logger;
}

const POLL_MS = 15;
// The wait for another replica's transfer. A replica settles a transfer within milliseconds, or within seconds if the
// database is busy; after two leases, another replica takes over the transfer of a dead replica. A caller waits 5 s and
// then retries.
const PATIENCE_MS = 4_000;
const SWEEP_BATCH = 200;
const APPLIED_AT_ONCE = 200;
// The delay of the cleanup after a landing, in multiples of the usual delay. No caller waits for this cleanup, so the
// service first serves the calls that the landing's response and webhook need.
const LANDED_DELAYS = 4;

/** Runs transfers to their end, and finishes transfers that a crash interrupted. See transfer-steps.ts. */
export function createTransfers(models: Models, options: TransferOptions) {
  const { settleDelayMs } = options;
  const steps = createTransferSteps(models, options.leaseMs);
  // Applies the transfers of one link one batch at a time: concurrent writers of one document would only wait for each
  // other in the database, each with a connection.
  const apply = createBatcher<{ link: LinkKey; transfer: Transfer }, AppliedOutcome>({
    keyOf: ({ link }) => link.linkId,
    work: entries =>
      steps.applyToLink(
        entries[0]!.link,
        entries.map(({ transfer }) => transfer),
      ),
    maxBatch: APPLIED_AT_ONCE,
  });
  const settler = new Settler(steps, options.log);

  /** Applies the response's transfer; undoes a refused claim. */
  async function execute(response: Response): Promise<AppliedOutcome> {
    const transfer = response.transfer!;
    const outcome = await apply({ link: response, transfer });
    if (outcome === 'applied') {
      settler.add(refOf(response), settleDelayMs * (landsClip(transfer.kind) ? LANDED_DELAYS : 1));
    } else if (outcome === 'refused' && takesUse(transfer.kind)) {
      await steps.undo(response._id, transfer);
    } else if (outcome === 'refused') {
      throw new Error(`link ${response.linkId} does not take transfer ${transfer.id} (${transfer.kind})`);
    }
    return outcome;
  }

  /** Continues another replica's interrupted transfer. */
  async function finish(response: Response): Promise<void> {
    const taken = await steps.takeOver(response._id);
    if (!taken) return;
    await execute(taken);
    await settler.flush();
  }

  return {
    make: steps.make,
    execute,

    /**
     * Returns the response when it has no running transfer; finishes an interrupted transfer. Returns null if the
     * response no longer exists, because its claim was refused. Fails with `unavailable` if another replica takes too
     * long.
     */
    async settled(responseId: string): Promise<Response | null> {
      const giveUpAt = performance.now() + PATIENCE_MS;
      for (;;) {
        await settler.flush();
        const response = await models.responses.findOne(responseAt(responseId)).lean<Response>();
        if (!response?.transfer) return response;
        await finish(response);
        if (performance.now() > giveUpAt) {
          throw new DomainError('unavailable', 'This response is busy; try again in a moment.');
        }
        await pause(POLL_MS);
      }
    },

    /** Finishes transfers that crashes interrupted. Returns how many it checked. */
    async sweep(now: Date): Promise<number> {
      const left = await steps.leftOver(now, SWEEP_BATCH);
      for (const response of left) {
        // Only logs a failure, so that one transfer does not block the others.
        await finish(response).catch(error =>
          options.log.warn(
            { err: error, response: response._id },
            'A transfer could not be finished; the next sweep retries',
          ),
        );
      }
      return left.length;
    },

    async stop(): Promise<void> {
      await settler.flush();
    },
  };
}

export type Transfers = ReturnType<typeof createTransfers>;
