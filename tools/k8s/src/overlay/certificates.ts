import { uriOf } from '@recording-request/kit-rpc/internal/names';
import { type Manifest, podOf } from '../manifests.ts';
import { SERVICES } from '../settings.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, find, inWords, note, type Part, similar } from './finding.ts';

const GROUP = 'cert-manager.io';

/** Returns faults about the names in the certificates that cert-manager issues. Its schema allows any name. */
export const certificateFindings = (programs: Program[], all: Manifest[]): Finding[] =>
  all
    .filter(({ apiVersion, kind }) => apiVersion.startsWith(`${GROUP}/`) && kind === 'Certificate')
    .flatMap(certificate => [...issuerFindings(certificate, all), ...uriFaults(certificate, programs)]);

function issuerFindings(certificate: Manifest, all: Manifest[]): Finding[] {
  const { name, kind = 'Issuer', group = GROUP, kind: given } = certificate.spec.issuerRef ?? {};
  // The schema requires a name.
  if (!name || group !== GROUP || kind === 'ClusterIssuer') return [];
  const by = inWords(certificate);
  if (kind !== 'Issuer')
    return [
      fault(`${by}: issuerRef.kind ${kind} is neither Issuer nor ClusterIssuer: correct it, or set issuerRef.group.`),
    ];
  if (find(all, 'Issuer', name, certificate.metadata.namespace)) return [];
  const near = similar(
    name,
    all.filter(each => each.kind === 'Issuer').map(({ metadata }) => metadata.name),
  );
  if (near) return [fault(`${by} names the Issuer ${name}, which is not in the overlay${near}.`)];
  return given === undefined
    ? [fault(`${by}: issuerRef has no kind, so it means the Issuer ${name}, which is not in the overlay: set kind.`)]
    : [note(`create the Issuer ${name} for ${by} yourself; without it, its pods wait.`)];
}

/** A service identifies a caller by the URI in the caller's certificate. */
const uriFaults = ({ kind, metadata, spec }: Manifest, programs: Program[]): Finding[] =>
  programs
    .filter(
      ({ name, object, values }) =>
        name in SERVICES &&
        values.INTERNAL_PLAINTEXT !== 'true' &&
        object.metadata.namespace === metadata.namespace &&
        podOf(object)?.spec.volumes?.some(({ secret }: Part) => secret?.secretName === spec.secretName),
    )
    .map(({ name }) => ({ name, uri: uriOf(name) }))
    .filter(({ uri }) => !spec.uris?.includes(uri))
    .map(({ name, uri }) =>
      fault(
        `${kind} ${metadata.name}: ${name} needs the URI ${uri}, without which other services refuse it: add it to spec.uris.`,
      ),
    );
