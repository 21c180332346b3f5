/** The retention of a project's clips in a request. */
import Type, { type Static } from 'typebox';
import { LIMITS } from './limits.ts';

export const retention = {
  retentionDays: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      maximum: LIMITS.retentionDays,
      description:
        "Clips are erased this many days after they landed, for good; also those that have landed already. Not more than the operator's retention; null: only the operator's applies.",
      'x-constraint': `must be null or a whole number from 1 to ${LIMITS.retentionDays}`,
    }),
  ),
};
export type RetentionInput = Static<Type.TObject<typeof retention>>;
