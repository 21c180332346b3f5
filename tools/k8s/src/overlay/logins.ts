import { type Manifest, podOf } from '../manifests.ts';
import { variablesRead } from './configuration.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, find, listed, type Part } from './finding.ts';
import { knownKeys } from './secrets.ts';

const NAME = 'KAFKA_USERNAME';
const MECHANISM = 'KAFKA_SASL_MECHANISM';

/**
 * A program without its own Kafka user name uses the common one. Returns a fault if such programs have passwords from
 * different Secrets while other programs have their own user names: at least one user name is then wrong.
 */
export async function loginFindings(programs: Program[], all: Manifest[]): Promise<Finding[]> {
  const users: Program[] = [];
  for (const program of programs) {
    const mechanism = program.values[MECHANISM];
    if (mechanism && mechanism !== 'OAUTHBEARER' && (await variablesRead(program.name)).has(NAME)) users.push(program);
  }
  const inherited = users.filter(program => program.values[NAME] && !hasOwnName(program, all));
  if (inherited.length === users.length) return [];
  return [...Map.groupBy(inherited, ({ values }) => values[NAME])].flatMap(([user, each]) => {
    const secrets = new Set(each.map(passwordSecret));
    if (secrets.size < 2 || secrets.has(undefined)) return [];
    const names = listed([...new Set(each.map(({ name }) => name))]);
    return [
      fault(
        `${NAME}=${user} of the common settings applies to ${names}, whose passwords come from different Secrets: set the user of each, in settings-NAME of a service or by a patch of the task's env (Helm: services.NAME.settings).`,
      ),
    ];
  });
}

/** Returns whether a variable of the container, or the settings of only this service, may set the user name. */
function hasOwnName({ name, object, container }: Program, all: Manifest[]): boolean {
  const { namespace } = object.metadata;
  const variable = (container.env ?? []).find((each: Part) => each.name === NAME);
  const secret = variable?.valueFrom?.secretKeyRef;
  const keys = secret?.optional ? knownKeys(secret.name, namespace, all) : undefined;
  if (variable && (!keys || keys.has(secret.key))) return true;
  return (container.envFrom ?? []).some(({ configMapRef, prefix }: Part) => {
    const isOwn = !prefix && configMapRef?.name.startsWith(`settings-${name}`);
    return isOwn && NAME in (find(all, 'ConfigMap', configMapRef.name, namespace)?.data ?? {});
  });
}

/**
 * Returns the name of the Secret that gives the password, as a variable or as a mounted file; undefined if it is
 * unknown.
 */
function passwordSecret({ object, container, values }: Program): string | undefined {
  const variable = (container.env ?? []).find(({ name }: Part) => name === 'KAFKA_PASSWORD');
  if (variable) return variable.valueFrom?.secretKeyRef?.name;
  const file = values.KAFKA_PASSWORD_FILE;
  const mount = file && (container.volumeMounts ?? []).find(({ mountPath }: Part) => file.startsWith(`${mountPath}/`));
  return mount && podOf(object)!.spec.volumes?.find(({ name }: Part) => name === mount.name)?.secret?.secretName;
}
