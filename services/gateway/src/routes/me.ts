import { UpdateUserBody, type UpdateUserInput } from '@recording-request/contract/brand';
import { presentUser } from '@recording-request/contract/present';
import { CurrentUser } from '@recording-request/contract/resources/account';
import { ref } from '@recording-request/contract/resources/fields';
import type { FastifyInstance } from 'fastify';
import { completeBrand } from '../clients/project-settings.ts';
import type { Context } from '../context.ts';
import { owner } from '../plugins/access-kinds.ts';
import { operation } from '../plugins/operation.ts';
import { sendUnlessSame } from './answers.ts';

export async function meRoutes(app: FastifyInstance, { services }: Context): Promise<void> {
  app.get(
    '/api/me',
    {
      config: owner('profile:read'),
      schema: operation({
        id: 'getCurrentUser',
        tag: 'account',
        summary: 'The owner of the token, its scopes and the allowance',
        json: { 200: ref(CurrentUser) },
        conditional: true,
      }),
    },
    async (request, reply) => {
      const { owner: caller } = request;
      if (!caller) throw new Error('no owner');
      // Reads the user again, because the cached authentication may be seconds old and the allowance changes.
      const { user } = await services.accounts.getUser({ userId: caller.userId });
      if (!user) throw new Error('the reply has no user');
      return sendUnlessSame(request, reply, presentUser(user, caller.token));
    },
  );

  app.patch<{ Body: UpdateUserInput }>(
    '/api/me',
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'updateCurrentUser',
        tag: 'extensions',
        summary: 'Change the brand of your projects',
        description:
          'The name and colour that contributors see, in every project that does not set its own. Applies at once, also to responses that have begun.',
        body: UpdateUserBody,
        json: { 200: ref(CurrentUser) },
      }),
    },
    async request => {
      const { owner: caller, body } = request;
      if (!caller) throw new Error('no owner');
      const { userId, token } = caller;
      const { brand } = body;
      const { user } =
        brand === undefined
          ? await services.accounts.getUser({ userId })
          : await services.accounts.setBrand({ userId, brand: completeBrand(brand) });
      if (!user) throw new Error('the reply has no user');
      return presentUser(user, token);
    },
  );
}
