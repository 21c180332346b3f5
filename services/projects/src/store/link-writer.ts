import type { Transfer } from '../domain/transfer.ts';
import type { LinkKey } from './links.ts';
import type { AppliedOutcome, TransferSteps } from './transfer-steps.ts';

interface Waiting {
  transfer: Transfer;
  resolve(outcome: AppliedOutcome): void;
  reject(error: unknown): void;
}

const BATCH = 200;

/**
 * Writes the transfers of one link one after the other, those that arrived meanwhile together: writers of one document
 * would only wait for each other in the database, each holding a connection.
 */
export class LinkWriter {
  readonly #steps: TransferSteps;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(steps: TransferSteps) {
    this.#steps = steps;
  }

  apply(link: LinkKey, transfer: Transfer): Promise<AppliedOutcome> {
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(link.linkId);
      if (queue) {
        queue.push({ transfer, resolve, reject });
        return;
      }
      this.#waiting.set(link.linkId, [{ transfer, resolve, reject }]);
      void this.#drain(link);
    });
  }

  async #drain(link: LinkKey): Promise<void> {
    const queue = this.#waiting.get(link.linkId)!;
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH);
      try {
        const outcomes = await this.#steps.applyToLink(
          link,
          batch.map(entry => entry.transfer),
        );
        for (const [index, entry] of batch.entries()) entry.resolve(outcomes[index]!);
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    this.#waiting.delete(link.linkId);
  }
}
