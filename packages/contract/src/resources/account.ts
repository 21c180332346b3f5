import Type, { type Static } from 'typebox';
import { OwnerBrand } from '../brand.ts';
import { count, nullableInteger, resource, text, uuid } from './fields.ts';

export const ApiUser = Type.Object(
  {
    userId: uuid('The owner.'),
    userName: text('The name of the owner.'),
    videoLimit: nullableInteger('The number of videos that the owner may reserve in total; null means no limit.'),
    videosReserved: count('The number of reserved videos in total.'),
    reservedVideoCount: count('How many videos this request reserved.'),
    remainingVideos: nullableInteger('How many more can be reserved; null means no limit.'),
  },
  { $id: 'ApiUser', description: "The allowance of the token's owner.", ...resource },
);
export type ApiUserJson = Static<typeof ApiUser>;

export const CurrentUser = Type.Object(
  {
    userId: uuid('The owner.'),
    userName: text('The name of the owner.'),
    tokenId: uuid('The token that was sent.'),
    tokenLabel: text('The operator’s name for the token.'),
    scopes: Type.Array(Type.String(), { description: 'The scopes of the token.' }),
    videoLimit: nullableInteger('The number of videos that the owner may reserve in total; null means no limit.'),
    videosReserved: count('The number of reserved videos in total.'),
    remainingVideos: nullableInteger('How many more can be reserved; null means no limit.'),
    brand: OwnerBrand,
  },
  { $id: 'CurrentUser', ...resource },
);
export type CurrentUserJson = Static<typeof CurrentUser>;
