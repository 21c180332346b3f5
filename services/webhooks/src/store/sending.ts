import { SENDING_RECORD } from '@recording-request/contract/sending-record';
import { isDuplicateKey } from '@recording-request/kit-mongo/mongo';
import type { Sending } from '../domain/sending.ts';
import type { Models } from './models.ts';

export interface SendingStore {
  get(): Promise<Sending>;
  /** Pauses or resumes all deliveries. Changes nothing if they already have this state. */
  set(isPaused: boolean, now: Date): Promise<void>;
}

const { id: _id } = SENDING_RECORD;

export const sendingStore = ({ sending }: Models): SendingStore => ({
  async get() {
    const { isPaused = false, since = new Date(0) } = (await sending.findById(_id).lean()) ?? {};
    return { isPaused, since };
  },
  async set(isPaused, since) {
    try {
      await sending.updateOne({ _id, isPaused: !isPaused }, { $set: { isPaused, since } }, { upsert: true });
    } catch (error) {
      // The record already has this state.
      if (!isDuplicateKey(error)) throw error;
    }
  },
});
