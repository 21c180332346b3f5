import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import { withSlot } from '@recording-request/kit/with-slot';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import { type ActOnLinksRequest, ActOnLinksResponse, LinkAction } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { type Action, type ActionResult, actOnLinks as act } from '../workflows/act-on-links.ts';
import { parseRepeat } from './parse.ts';

const ACTIONS: Partial<Record<LinkAction, Action>> = {
  [LinkAction.LINK_ACTION_REMIND]: 'remind',
  [LinkAction.LINK_ACTION_DISABLE]: 'disable',
  [LinkAction.LINK_ACTION_ENABLE]: 'enable',
};

export const actOnLinks =
  (context: Context) =>
  async (request: ActOnLinksRequest, call: CallContext): Promise<ActOnLinksResponse> => {
    const { ownerId, projectId, linkIds } = request;
    const action = ACTIONS[request.action];
    if (!action) throw new DomainError('invalid', 'action must be one of remind, disable, enable.');
    const { length } = linkIds;
    if (length < 1 || length > LIMITS.linkActions || new Set(linkIds).size < length)
      throw new DomainError('invalid', `tokenIds must have 1 to ${LIMITS.linkActions} different entries.`);
    const format = {
      make: (results: ActionResult[]): ActOnLinksResponse => ({
        links: results.map(({ linkId, refusal: { reason = '', message = '' } = {} }) => ({
          ...{ linkId, refusal: reason, sentence: message },
        })),
        replayed: false,
      }),
      encode: (answer: ActOnLinksResponse) => ActOnLinksResponse.encode(answer).finish(),
      decode: (bytes: Uint8Array) => ({ ...ActOnLinksResponse.decode(bytes), replayed: true }),
    };
    const acting = { ownerId, projectId, action, linkIds, repeat: parseRepeat(request), format };
    return await withSlot(context.creations, ownerId, call.signal, () => act(context, acting, call));
  };
