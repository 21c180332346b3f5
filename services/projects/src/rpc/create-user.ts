import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import type { CreateUserRequest, CreateUserResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import type { User } from '../domain/user.ts';
import { toUser } from './account-messages.ts';

const NAME_LENGTH = 200;

export const createUser =
  ({ store, clock }: Context) =>
  async (request: CreateUserRequest): Promise<CreateUserResponse> => {
    const name = request.userName.trim();
    if (name === '' || name.length > NAME_LENGTH) {
      throw new DomainError('invalid', `user_name must be 1 to ${NAME_LENGTH} characters.`);
    }
    const user: User = {
      _id: uuidv7(),
      name,
      videoLimit: request.videoLimit ?? null,
      videosReserved: 0,
      createdAt: clock.now(),
    };
    await store.users.insert(user);
    return { user: toUser(user) };
  };
