import type {
  GetSendingResponse,
  SetSendingRequest,
  SetSendingResponse,
} from '@recording-request/proto/operator/v1/webhooks';
import type { Context } from '../context.ts';

type SendingContext = Pick<Context, 'clock' | 'store' | 'sending' | 'dispatcher'>;

/** Returns whether this system sends webhooks, and the number of waiting deliveries. */
export const getSending = (context: SendingContext) => (): Promise<GetSendingResponse> => shown(context);

/** Pauses or resumes all deliveries. This process follows at once. */
export const setSending =
  (context: SendingContext) =>
  async ({ paused }: SetSendingRequest): Promise<SetSendingResponse> => {
    const { clock, store, sending, dispatcher } = context;
    await store.sending.set(paused, clock.now());
    await sending.refresh();
    dispatcher.wake();
    return await shown(context);
  };

async function shown({ store }: SendingContext): Promise<GetSendingResponse> {
  const [{ isPaused: paused, since }, waiting] = await Promise.all([store.sending.get(), store.queue.countPending()]);
  return { sending: { paused, waiting, ...(since.getTime() > 0 && { since }) } };
}
