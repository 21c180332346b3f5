/** Validates requests by their JSON schemas and describes the faults in one sentence. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isAccent } from './accent.ts';
import { canonicalLanguageTag } from './language-tag.ts';
import { isReturnAddress } from './return-address.ts';
import { isWebhookSecret } from './webhook-secret.ts';

export type Fault = ErrorObject;

// Accepts only a UUID; the format of ajv-formats also accepts a URN.
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// RFC 3339, with the required zone.
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt ](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
// A sentence names at most this many faults.
export const FAULTS_MAX = 10;

interface ObjectSchema {
  properties?: Record<string, object>;
  required?: string[];
  additionalProperties?: boolean;
}

/** Returns the first fault of each field; undefined if the value is valid. */
export type FaultFinder = (value: unknown) => Fault[] | undefined;

/** Returns a finder for each schema. `coerce` accepts texts as numbers and booleans, because a query has only texts. */
export function createFaultFinders({ coerce }: { coerce: boolean }): (schema: object) => FaultFinder {
  const ajv = createAjv(coerce);
  return schema => faultFinder(ajv, schema);
}

/**
 * Stops after one unknown field more than a sentence names, and after the first fault of each field, because a body of
 * 1 MB can have 100,000 faults.
 */
function faultFinder(ajv: Ajv, schema: ObjectSchema): FaultFinder {
  const validate = ajv.compile(schema);
  const { properties = {}, required = [] } = schema;
  let fields: Map<string, ValidateFunction> | undefined;
  return value => {
    if (validate(value)) return undefined;
    const whole = [faultOf(validate.errors)];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return whole;
    fields ??= new Map(
      Object.entries(properties).map(([name, one]) => [
        name,
        ajv.compile({ type: 'object', properties: { [name]: one } }),
      ]),
    );
    const faults: Fault[] = [];
    for (const [name, check] of fields) {
      if (!Object.hasOwn(value, name)) {
        if (required.includes(name)) faults.push(faultAt('required', { missingProperty: name }));
      } else if (!check(value)) faults.push(faultOf(check.errors));
    }
    if (schema.additionalProperties === false) {
      for (const name in value) {
        if (faults.length > FAULTS_MAX) break;
        if (!fields.has(name)) faults.push(faultAt('additionalProperties', { additionalProperty: name }));
      }
    }
    return faults.length > 0 ? faults : whole;
  };
}

const faultAt = (keyword: string, params: object): Fault => ({
  keyword,
  params,
  instancePath: '',
  schemaPath: '',
});

/**
 * For failed alternatives, ajv reports each branch and then the whole `anyOf`. Only the last report helps the caller.
 */
function faultOf(faults: readonly Fault[] | null | undefined): Fault {
  const fault = faults?.findLast(each => each.keyword === 'anyOf') ?? faults?.[0];
  if (!fault) throw new Error('the validator reported no fault');
  return fault;
}

function createAjv(coerce: boolean): Ajv {
  const ajv = new Ajv({
    coerceTypes: coerce,
    removeAdditional: false,
    useDefaults: false,
    allErrors: false,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
  });
  ajv.addKeyword('x-constraint');
  ajv.addKeyword('x-hint');
  ajv.addFormat('uuid', UUID);
  ajv.addFormat('date-time', isMoment);
  ajv.addFormat('uri', value => URL.canParse(value));
  ajv.addFormat('webhook-secret', isWebhookSecret);
  ajv.addFormat('accent', text => text === '' || isAccent(text));
  ajv.addFormat('return-url', isReturnAddress);
  ajv.addFormat('language-tag', text => text === '' || canonicalLanguageTag(text) !== undefined);
  return ajv;
}

/** Date.parse turns 30 February into 1 March. In UTC, a time may be in a year that RFC 3339 does not have. */
function isMoment(text: string): boolean {
  const [, day] = DATE_TIME.exec(text) ?? [];
  const at = Date.parse(text);
  if (day === undefined || Number.isNaN(at) || !/^\d/.test(new Date(at).toISOString())) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** Returns the sentence of a 400, with the rule for each of the first ten wrong fields. */
export function faultsSentence(faults: readonly Fault[]): string {
  if (faults.length === 0) return 'The request is not valid.';
  const named = faults.slice(0, FAULTS_MAX).map(said);
  return `${[...named, ...(faults.length > named.length ? ['and there is more'] : [])].join('; ')}.`;
}

function said(fault: Fault): string {
  const { field, reason } = describeFault(fault);
  return field === null ? `The body ${reason}` : `${field} ${reason}`;
}

/** Returns the field of a fault, null for the whole value, and the rest of the sentence. */
export function describeFault(fault: Fault): { field: string | null; reason: string } {
  if (fault.keyword === 'required') {
    return { field: nameOf(fault, fault.params.missingProperty), reason: 'is required' };
  }
  if (fault.keyword === 'additionalProperties') {
    const field = nameOf(fault, JSON.stringify(clip(fault.params.additionalProperty)));
    return { field, reason: 'is not a field that this body takes' };
  }
  const field = nameOf(fault);
  if (field === '') return { field: null, reason: 'must be a JSON object' };
  const { 'x-constraint': constraint, 'x-hint': hint } = (fault.parentSchema ?? {}) as Record<string, unknown>;
  const reason = typeof constraint === 'string' ? constraint : requirement(fault);
  return { field, reason: typeof hint === 'string' ? `${reason} (${hint})` : reason };
}

function nameOf(fault: Fault, last?: string): string {
  const path = fault.instancePath.split('/').slice(1);
  let name = '';
  for (const part of last === undefined ? path : [...path, last]) {
    if (/^\d+$/.test(part)) name += `[${part}]`;
    else name += name === '' ? part : `.${part}`;
  }
  return name;
}

const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

const TYPES: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
};

function requirement({ keyword, params, parentSchema, data }: Fault): string {
  switch (keyword) {
    case 'type':
      return `must be ${[params.type]
        .flat()
        .map(type => TYPES[type] ?? type)
        .join(' or ')}${params.type === 'boolean' ? `, not ${clip(JSON.stringify(data))}` : ''}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minLength':
      return `must have at least ${params.limit} character${params.limit === 1 ? '' : 's'}`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minItems':
      return `must have at least ${params.limit} item${params.limit === 1 ? '' : 's'}`;
    case 'maxItems':
      return `must have at most ${params.limit} items`;
    case 'enum':
      return `must be one of ${(parentSchema?.enum as unknown[] | undefined)?.join(', ')}, not ${clip(JSON.stringify(data))}`;
    case 'uniqueItems':
      return 'must not name one twice';
    case 'format':
      return `must be a ${params.format === 'uuid' ? 'UUID' : params.format}`;
    default:
      return 'is not valid';
  }
}
