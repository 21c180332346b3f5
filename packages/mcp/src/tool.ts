import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { Host, Rest } from './rest.ts';

export interface Call {
  rest: Rest;
  host: Host;
}

export interface Tool<Input extends TObject = TObject> {
  name: string;
  title: string;
  /** The scope that its REST requests need. The documentation names it. */
  scope: string;
  description: string;
  input: Input;
  output: TSchema;
  /** True for a tool that changes something. Such a tool has the field `confirm`. */
  writes: boolean;
  // A method, so that tools with different inputs fit in one list.
  run(input: Static<Input>, call: Call): Promise<object>;
}

export const tool = <Input extends TObject>(spec: Omit<Tool<Input>, 'writes'> & { writes?: boolean }): Tool =>
  ({ writes: false, ...spec }) as unknown as Tool;

const strict = { additionalProperties: false } as const;

/** The arguments of a tool. An unknown name is refused: a misspelt filter must not return everything. */
export const input = <T extends Record<string, TSchema>>(fields: T) => Type.Object(fields, strict);
/**
 * A result or a part of it. No field is required, because a field without a value is absent. The schema has no more
 * than this, because `tools/list` must be short.
 */
export const output = (fields: Record<string, TSchema>) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', properties: fields });

export const id = (description?: string) => Type.String({ format: 'uuid', ...(description && { description }) });
export const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description && { description }) });
export const optional = Type.Optional;
export const whole = (minimum: number, maximum: number, description?: string) =>
  Type.Integer({ minimum, maximum, ...(description && { description }) });
export const oneOf = <const V extends readonly string[]>(values: V, description?: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...(description && { description }) });
export const list = Type.Array;
export const flag = (description?: string) => Type.Boolean(description ? { description } : {});

/** Fields of results. */
export const string = Type.String();
export const integer = Type.Integer();
export const number = Type.Number();
/** Texts of other people, by name. */
export const untrusted = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

/** The arguments of every tool that returns pages. */
export const paging = (max: number, usual: number) => ({
  limit: optional(Type.Integer({ minimum: 1, maximum: max, default: usual })),
  cursor: optional(text(2_000, 'nextCursor of the previous page')),
});
