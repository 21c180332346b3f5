import type { SetUserDisabledRequest, SetUserDisabledResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { noSuchUser } from '../domain/user.ts';
import { toUser } from './account-messages.ts';

export const setUserDisabled =
  ({ store, clock }: Context) =>
  async ({ userId, disabled }: SetUserDisabledRequest): Promise<SetUserDisabledResponse> => {
    const user = await store.users.setDisabled(userId, disabled ? clock.now() : null);
    if (!user) throw noSuchUser();
    if (!disabled) await store.reminders.lookAtOwner(userId, clock.now());
    return { user: toUser(user) };
  };
