import { CHECKS } from '../checks.ts';
import { type SchemaStatus, schemaStatuses } from '../faults.ts';
import type { ManifestTools } from '../install.ts';
import type { Manifest } from '../manifests.ts';
import { refusedPods } from '../pod-security.ts';
import { hasServices } from './environment.ts';
import { type Finding, fault, inWords, listed, note } from './finding.ts';

/** The checks that find objects that cannot work. All other checks are rules only for the product's own objects. */
const OF_EVERY_OBJECT = ['account', 'leads-somewhere', 'mounts', 'probe-port', 'selector', 'variable-twice'];
const PART_OF = 'app.kubernetes.io/part-of';

/**
 * The checks that need all network policies of an overlay. An overlay with only the operator's pod does not have them.
 */
const OF_WHOLE_OVERLAYS = ['isolated'];

/** Returns the faults that the schemas, the standard `restricted` and our checks of objects find. */
export async function objectFindings(tools: ManifestTools, all: Manifest[]): Promise<Finding[]> {
  const statuses = await schemaStatuses(tools, all);
  const unknown = [...new Set(all.filter((each, at) => isUnknown(each, statuses[at])).map(({ kind }) => kind))];
  const broken = all.flatMap((each, at) => (isUnknown(each, statuses[at]) ? [] : faultsIn(each, statuses[at])));
  // Stops here, because the other checks expect objects that match their schema.
  if (broken.length > 0) return broken;
  const refused = (await refusedPods(tools.podSecurity, all)).map(sentence => fault(`${sentence}.`));
  return [
    ...refused,
    ...all.flatMap(object => checked(object, all)),
    ...(unknown.length > 0
      ? [note(`no schema of ${listed(unknown)} is known here, so these objects are unchecked.`)]
      : []),
  ];
}

/** Returns whether the object's kind is a custom resource without a known schema. */
const isUnknown = ({ apiVersion }: Manifest, status?: SchemaStatus): boolean =>
  /^[^/]+\.(?!k8s\.io\/)/.test(apiVersion) && /failed to locate OpenAPI spec/.test(status?.message ?? '');

function faultsIn(object: Manifest, status?: SchemaStatus): Finding[] {
  if (status?.status !== 'Failure') return [];
  const causes = status.details?.causes?.map(({ field, message }) => (field ? `${field}: ${message}` : message));
  return (causes ?? [(status.message ?? 'is not valid').replace('Internal error occurred: ', '')]).map(words =>
    fault(`${inWords(object)}: ${words}.`),
  );
}

function checked(object: Manifest, all: Manifest[]): Finding[] {
  const isOurs = object.metadata.labels?.[PART_OF] === 'recording-request';
  const checks = hasServices(all) ? CHECKS : CHECKS.filter(({ name }) => !OF_WHOLE_OVERLAYS.includes(name));
  return checks
    .filter(({ name }) => isOurs || OF_EVERY_OBJECT.includes(name))
    .flatMap(({ fault: check }) => {
      const found = check(object, all);
      return found ? [fault(`${inWords(object)}: ${found}.`)] : [];
    });
}
