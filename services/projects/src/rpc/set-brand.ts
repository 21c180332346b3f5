import { NO_BRAND, normalBrand } from '@recording-request/contract/brand';
import { DomainError } from '@recording-request/kit/errors';
import type { SetBrandRequest, SetBrandResponse } from '@recording-request/proto/accounts/v1/accounts';
import type { Context } from '../context.ts';
import { noSuchUser } from '../domain/user.ts';
import { toUser } from './account-messages.ts';

export const setBrand =
  ({ store, checks }: Context) =>
  async ({ userId, brand = NO_BRAND }: SetBrandRequest): Promise<SetBrandResponse> => {
    const fault = checks.update({ brand });
    if (fault) throw new DomainError('invalid', fault);
    const user = await store.users.setBrand(userId, normalBrand(brand));
    if (!user) throw noSuchUser();
    return { user: toUser(user) };
  };
