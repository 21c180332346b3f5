import Type, { type Static } from 'typebox';

export const EraseBody = Type.Unsafe<{ confirm?: string } | null>({
  type: ['object', 'null'],
  properties: {
    confirm: {
      type: 'string',
      minLength: 1,
      maxLength: 500,
      description: 'The value from the answer without it, at most ten minutes old. Without it, nothing is erased.',
    },
  },
  additionalProperties: false,
  description: 'Optional.',
});
export type EraseInput = Static<typeof EraseBody>;
