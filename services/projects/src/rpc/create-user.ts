import { uuidv7 } from '@recording-request/kit/ids';
import type { CreateUserRequest, CreateUserResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { type User, userNameOf } from '../domain/user.ts';
import { toUser } from './account-messages.ts';

export const createUser =
  ({ store, clock }: Context) =>
  async (request: CreateUserRequest): Promise<CreateUserResponse> => {
    const user: User = {
      _id: uuidv7(),
      name: userNameOf(request.userName),
      videoLimit: request.videoLimit ?? null,
      videosReserved: 0,
      createdAt: clock.now(),
    };
    await store.users.insert(user);
    return { user: toUser(user) };
  };
