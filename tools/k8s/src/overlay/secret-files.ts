import { type Manifest, podOf } from '../manifests.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, inWords, listed, type Part } from './finding.ts';

/** The folder of the component `secrets-as-files`. */
const FOLDER = '/secrets';
const COMPONENTS: Readonly<Record<string, string>> = { doctor: 'doctor', backup: 'backup or backup-bucket' };

/** Returns whether the component `secrets-as-files` keeps a variable, because it cannot be a file. */
const isLeft = (name: string): boolean => name === 'KAFKA_USERNAME' || /^OTEL_.*_HEADERS$/.test(name);

const isMounted = ({ container }: Program): boolean =>
  (container.volumeMounts ?? []).some(({ mountPath }: Part) => mountPath === FOLDER);

const inShort = ([first, second, ...more]: string[]): string =>
  more.length > 0
    ? `${first} and ${more.length + 1} other variables from Secrets`
    : `${listed([first!, second!].filter(Boolean))} from a Secret`;

/** Returns the names of the variables of an object's containers that come from Secrets. */
const variablesOf = (object: Manifest): string[] =>
  (podOf(object)?.spec.containers ?? []).flatMap(({ env = [] }: Part) =>
    env.filter(({ valueFrom }: Part) => valueFrom?.secretKeyRef).map(({ name }: Part) => name as string),
  );

/**
 * Returns a fault for each task that reads a Secret as a variable while all services read their Secrets as files. This
 * happens in two cases: a component adds the task after `secrets-as-files`; or the component `doctor`, listed before
 * it, copies the services' variables.
 */
export function secretFileFindings(programs: Program[], all: Manifest[]): Finding[] {
  const services = programs.filter(({ object }) => object.kind === 'Deployment');
  if (services.length === 0 || !services.every(isMounted)) return [];
  const isStrict = services.every(({ object }) => variablesOf(object).length === 0);
  return all
    .filter(
      ({ kind, metadata }) =>
        ['Job', 'CronJob'].includes(kind) && ['migrate', 'backup', 'doctor'].includes(metadata.name),
    )
    .flatMap(task => {
      const found = new Set(variablesOf(task).filter(name => isStrict || !isLeft(name)));
      if (found.size === 0) return [];
      const { name } = task.metadata;
      const [order, reason] = [...found].every(isLeft)
        ? ['in the overlay that no-variables changes', 'which no service has as a variable']
        : [
            `${name === 'doctor' ? 'after' : 'before'} secrets-as-files${isStrict ? ', and no-variables in an overlay of this overlay' : ''}`,
            'which the services read from files',
          ];
      const component = COMPONENTS[name];
      const remedy = component ? `list the component ${component} ${order}` : 'remove these variables';
      return [fault(`${inWords(task)} has ${inShort([...found].toSorted())}, ${reason}: ${remedy}.`)];
    });
}
