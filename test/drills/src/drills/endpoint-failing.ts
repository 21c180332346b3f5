import type { Drill } from '../drill.ts';

export const endpointFailing: Drill = {
  name: 'endpoint-failing',
  promise: 'An owner’s endpoint that answers 500 is a ticket: it is the owner’s, and nobody is woken',
  expects: { alert: 'EndpointsFailing', severity: 'ticket' },
  async begin({ harness: { receiver } }, mended) {
    receiver.answer = () => 500;
    mended.defer(() => {
      receiver.answer = undefined;
    });
  },
};
