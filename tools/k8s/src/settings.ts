import { secretsKeyVariables } from '@recording-request/kit/secrets-key-variables';
import {
  grpcVariables,
  healthVariables,
  internalVariables,
  operatorVariables,
  processVariables,
} from '@recording-request/kit/service-variables';
import type { Variable } from '@recording-request/kit/variable';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { figureVariables } from '@recording-request/kit-mongo/figure-variables';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { CHECKS, OWN_CHECKS } from '@recording-request/kit-telemetry/checks';
import { variables as gateway } from '../../../services/gateway/src/config.ts';
import { variables as media } from '../../../services/media/src/config.ts';
import { variables as projects } from '../../../services/projects/src/config.ts';
import { variables as submissions } from '../../../services/submissions/src/config.ts';
import { variables as transcription } from '../../../services/transcription/src/config.ts';
import { variables as webhooks } from '../../../services/webhooks/src/config.ts';
import { variables as admin } from '../../admin/src/address.ts';
import { variables as ofBackups } from '../../admin/src/backup/target-variables.ts';

type Variables = Readonly<Record<string, Variable<unknown>>>;

export const SERVICES: Readonly<Record<string, Variables>> = {
  gateway,
  projects,
  submissions,
  media,
  transcription,
  webhooks,
};

/** Variables with one declaration for several services. */
const SHARED: ReadonlyArray<[title: string, words: string, variables: Variables]> = [
  ['Every service', '', { ...processVariables, ...healthVariables }],
  [
    'Certificates between the services',
    '[deploy](../deploy/k8s/README.md#certificates-between-the-services) explains how to create and replace them.',
    internalVariables,
  ],
  ['Calls', '', grpcVariables],
  ["The operator's calls", '', operatorVariables],
  ['MongoDB', '', mongoVariables],
  [
    'Sealed data',
    'The two may have different keys. [This recipe](recipes/rotate-secrets-key.md) replaces a key.',
    secretsKeyVariables,
  ],
  [
    'Kafka',
    '[deploy](../deploy/servers.md#keda-with-tls-or-a-login-at-kafka) lists the required rights.',
    kafkaVariables,
  ],
  ['The object store', '', objectVariables],
  ['Metrics that cost a query', 'They apply if [metrics](metrics.md) are on.', figureVariables],
];

/** Every variable of the services and of the operator's tool; a name appears twice if two services use it differently. */
export const ALL: ReadonlyArray<Variable<unknown>> = [
  ...new Set([...Object.values(SERVICES), admin, ofBackups].flatMap(variables => Object.values(variables))),
];

/** Returns the names of the secrets among variables. */
export const secretsAmong = (variables: Iterable<Variable<unknown>>): string[] =>
  [...variables].filter(({ isSecret }) => isSecret).map(({ name }) => name);

/** The permitted names of settings, including those for files of secrets. The services themselves ignore a misspelt name. */
export const settingNames = (): string[] =>
  [
    ...new Set([
      ...ALL.map(({ name }) => name),
      ...secretsAmong(ALL).map(name => `${name}_FILE`),
      ...Object.keys({ ...CHECKS, ...OWN_CHECKS }),
    ]),
  ].sort();

const BEGINNING = `# Settings

\`npm run settings\` writes this page from the declarations (\`services/*/src/config.ts\`, \`packages/*/src/*variables.ts\`, \`tools/admin/src/address.ts\`); \`npm test\` compares it with them and with the variables in
\`deploy/\`.

Settings are environment variables; a name ends with its unit. An empty variable counts as not set. If a variable is missing or malformed, or has no effect with the other settings, the service exits with status 78 and an
error that names all such variables, never their values.

A **secret** may come from a file instead, such as \`MONGO_URL_FILE=/run/secrets/mongo-url\`; a line break at the end of the file is ignored, and an empty file of an optional secret counts as not set. [deploy](../deploy/servers.md#tls-and-logins) shows when a replaced file takes effect.

In Kubernetes, secrets are keys of the Secret \`recording-request\` (\`deploy/k8s/base/secret.example.env\`); all other variables are settings (\`settings.env\` of an overlay, \`settings\` of the chart; for one service \`settings-NAME\`, \`services.NAME.settings\`). With Compose, put the
variables of \`deploy/compose.example.env\` into \`deploy/.env\`, and others into your own Compose file. OpenTelemetry's variables configure traces, metrics and log records: [telemetry](telemetry.md#variables).
`;

/** Returns the text of docs/settings.md. */
export function settingsDocument(): string {
  const shared = new Set(SHARED.flatMap(([, , variables]) => Object.values(variables)));
  const sections = [
    ...SHARED.map(([title, words, variables]) =>
      section(title, `${readersOf(variables)}. ${words}`.trim(), Object.values(variables)),
    ),
    ...Object.entries(SERVICES).map(([name, variables]) =>
      section(
        name,
        '',
        Object.values(variables).filter(each => !shared.has(each)),
      ),
    ),
    section(
      "The operator's tool",
      '`npm run admin` also reads the variables of its certificate; `migrate`, `backup` and `restore` also read the variables of MongoDB, Kafka and the object store.',
      Object.values(admin),
    ),
    section(
      'Backups',
      '`npm run admin -- backup` and `restore` read these. Without `BACKUP_S3_ENDPOINT`, each of the others replaces one value of the product’s store. With it, the bucket is at another store, to which no `S3_…` variable applies. Only without any `BACKUP_S3_…` variable does the store itself copy the objects.',
      Object.values(ofBackups),
    ),
  ];
  return `${[BEGINNING.trimEnd(), ...sections].join('\n\n')}\n`;
}

function readersOf(variables: Variables): string {
  const wanted = Object.values(variables);
  const names = Object.entries(SERVICES)
    .filter(([, read]) => Object.values(read).some(each => wanted.includes(each)))
    .map(([name]) => name);
  if (names.length === Object.keys(SERVICES).length) return 'Read by all six services';
  return `Read by ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function section(title: string, words: string, variables: Variable<unknown>[]): string {
  const rows = variables.map(variable => {
    const cells = [`\`${variable.name}\``, defaultOf(variable), expectedOf(variable), variable.description];
    return `| ${cells.join(' | ')} |`;
  });
  const table = ['| variable | default | value | meaning |', '|---|---|---|---|', ...rows].join('\n');
  return [`## ${title}`, ...(words ? [words] : []), table].join('\n\n');
}

function expectedOf({ isSecret, expected }: Variable<unknown>): string {
  if (!isSecret) return expected;
  return expected === 'text' ? '**secret**' : `**secret**: ${expected}`;
}

function defaultOf(variable: Variable<unknown>): string {
  if (variable.unset !== undefined) return variable.unset;
  if (variable.required) return 'required';
  try {
    return shown(variable.name, variable.parse(undefined, {}));
  } catch {
    return 'required';
  }
}

function shown(name: string, value: unknown): string {
  // A secret is a function, called at each use.
  const text = String((typeof value === 'function' ? value() : value) ?? '');
  return text === '' ? 'none' : `\`${text}\`${inLargerUnit(name, Number(value))}`;
}

/** Larger units for a value. The key is the last part of the variable's name, which is its unit. */
const LARGER: Readonly<Record<string, Array<[size: number, unit: string]>>> = {
  BYTES: [
    [1024 ** 3, 'GiB'],
    [1024 ** 2, 'MiB'],
    [1024, 'KiB'],
  ],
  SECONDS: [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
  ],
  MS: [
    [86_400_000, 'd'],
    [60_000, 'min'],
    [1_000, 's'],
  ],
};

function inLargerUnit(name: string, value: number): string {
  const found = LARGER[name.split('_').at(-1)!]?.find(([size]) => value > 0 && value % size === 0);
  return found ? ` (${value / found[0]} ${found[1]})` : '';
}
