import { isWebhookSecret } from '@recording-request/contract/webhook-secret';
import { Ajv, type ErrorObject } from 'ajv';
import type { FastifyError, FastifyInstance } from 'fastify';

// A UUID alone: the format of ajv-formats also takes a urn.
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// RFC 3339, which always names the zone.
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt ](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const IDS = ['projectId', 'submissionId', 'tokenId', 'deliveryId', 'responseSessionId'];

/** Bodies are strict; queries and path parameters are text, and coerced. */
export function installValidation(app: FastifyInstance): void {
  const bodies = createAjv(false);
  const texts = createAjv(true);
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const validate = (httpPart === 'body' ? bodies : texts).compile(schema as object);
    return (value: unknown) => {
      if (validate(value)) return { value };
      return { error: (validate.errors ?? []) as unknown as FastifyError['validation'] & Error };
    };
  });
  // Ids are stored in lower case, and a UUID is the same in either.
  app.addHook('preHandler', async request => {
    const params = request.params as Record<string, string> | undefined;
    for (const name of IDS) {
      const value = params?.[name];
      if (params && value) params[name] = value.toLowerCase();
    }
  });
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
  ajv.addFormat('uuid', UUID);
  ajv.addFormat('date-time', isMoment);
  ajv.addFormat('uri', value => URL.canParse(value));
  ajv.addFormat('webhook-secret', isWebhookSecret);
  return ajv;
}

/** Date.parse makes the 1st of March of the 30th of February. */
function isMoment(text: string): boolean {
  const [, day] = DATE_TIME.exec(text) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** The one sentence of a 400, with the name of the field. */
export function validationSentence(error: FastifyError): string {
  const faults = (error.validation ?? []) as unknown as ErrorObject[];
  // Where alternatives fail, ajv reports each branch and then the whole: the whole is the one that the caller knows.
  const fault = faults.findLast(each => each.keyword === 'anyOf') ?? faults[0];
  if (!fault) return 'The request is not valid.';
  if (fault.keyword === 'required') return `${nameOf(fault, fault.params.missingProperty)} is required.`;
  if (fault.keyword === 'additionalProperties') {
    return `${nameOf(fault, JSON.stringify(clip(fault.params.additionalProperty)))} is not a field that this body takes.`;
  }
  const name = nameOf(fault);
  if (name === '') return 'The body must be a JSON object.';
  const constraint = (fault.parentSchema as Record<string, unknown> | undefined)?.['x-constraint'];
  return `${name} ${typeof constraint === 'string' ? constraint : requirement(fault)}.`;
}

function nameOf(fault: ErrorObject, last?: string): string {
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

function requirement({ keyword, params, parentSchema }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${[params.type]
        .flat()
        .map(type => TYPES[type] ?? type)
        .join(' or ')}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minLength':
      return `must have at least ${params.limit} character${params.limit === 1 ? '' : 's'}`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'maxItems':
      return `must have at most ${params.limit} items`;
    case 'enum':
      return `must be one of ${(parentSchema?.enum as unknown[] | undefined)?.join(', ')}`;
    case 'format':
      return `must be a ${params.format === 'uuid' ? 'UUID' : params.format}`;
    default:
      return 'is not valid';
  }
}
