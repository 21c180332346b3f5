import type { Drill } from '../drill.ts';

export const endpointFailing: Drill = {
  name: 'endpoint-failing',
  promise: 'An owner’s endpoint that returns 500 is a ticket, not a page: it is the owner’s problem',
  expects: { alert: 'EndpointsFailing', severity: 'ticket' },
  async begin({ harness: { receiver } }, repair) {
    receiver.answer = () => 500;
    repair.defer(() => {
      receiver.answer = undefined;
    });
  },
};
