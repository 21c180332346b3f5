import { type Manifest, podOf } from '../manifests.ts';
import { type Finding, fault, inWords, type Part } from './finding.ts';
import { isInBlock } from './reach.ts';
import { secretValues } from './secrets.ts';

/** A host of the domains for examples (RFC 2606). */
const EXAMPLE_HOST = /(?<![\w-])example\.(?:com|net|org)(?![\w-]|\.\w)/i;
/** The networks for examples (RFC 5737, RFC 3849). */
const EXAMPLE_NETWORKS = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32'];
/** The account in the examples of AWS. */
const EXAMPLE_ACCOUNT = /:111122223333:/;
const SAME_DIGIT = /sha256:([0-9a-f])\1{63}/;
/** Values of secret.example.env. */
const EXAMPLE_SECRET = /^k\d+:$|\buser:password@|:\/\/:password@|^<.*>$|\bchange-?me\b/i;

/** Returns a fault for each value of the examples that is still in the overlay. */
export const placeholderFindings = (all: Manifest[]): Finding[] => [
  ...new Map(all.flatMap(findingsOf).map(finding => [finding.text, finding])).values(),
];

function findingsOf(object: Manifest): Finding[] {
  const { kind, data, spec } = object;
  if (kind === 'ConfigMap') return settingsOf(object, Object.entries(data ?? {}));
  if (kind === 'Secret') return secretsOf(object);
  if (kind === 'NetworkPolicy') return networksOf(object);
  if (kind === 'ServiceAccount') return rolesOf(object);
  if (/\bYOURS\b/.test(JSON.stringify(spec ?? {})))
    return [fault(`${inWords(object)} still has the placeholder YOURS: set your own name.`)];
  if (kind === 'ScaledObject')
    return spec.triggers.flatMap(({ metadata }: Part) => settingsOf(object, Object.entries(metadata)));
  const hosts: string[] =
    kind === 'HTTPRoute'
      ? (spec.hostnames ?? [])
      : kind === 'Ingress'
        ? [
            ...(spec.rules ?? []).map(({ host }: Part) => host ?? ''),
            ...(spec.tls ?? []).flatMap((each: Part) => each.hosts),
          ]
        : [];
  return [
    ...hosts
      .filter(host => EXAMPLE_HOST.test(host))
      .map(host => fault(`${inWords(object)}: ${host} is a placeholder: set the host of PUBLIC_BASE_URL.`)),
    ...(podOf(object)?.spec.containers ?? []).flatMap(({ image, env = [] }: Part) => [
      ...imagesOf(image),
      ...settingsOf(
        object,
        env.map(({ name, value }: Part) => [name, value ?? '']),
      ),
    ]),
  ];
}

const settingsOf = (object: Manifest, entries: [name: string, value: string][]): Finding[] =>
  entries
    .filter(([, value]) => EXAMPLE_HOST.test(String(value)))
    .map(([name, value]) => fault(`${inWords(object)}: ${name}=${value} is a placeholder: set your own address.`));

function imagesOf(image: string): Finding[] {
  const [name = '', digest] = image.split('@');
  if (EXAMPLE_HOST.test(name)) return [fault(`The image ${name} is a placeholder: set your registry in images.`)];
  if (digest && !/^sha256:[0-9a-f]{64}$/.test(digest))
    return [
      fault(`The image ${name} has no digest of 64 hexadecimal digits: set the digest that your registry prints.`),
    ];
  return digest && SAME_DIGIT.test(digest)
    ? [fault(`The digest of the image ${name} is a placeholder: set the digest that your registry prints.`)]
    : [];
}

const rolesOf = (object: Manifest): Finding[] =>
  Object.values(object.metadata.annotations ?? {})
    .filter(value => EXAMPLE_ACCOUNT.test(value))
    .map(role => fault(`${inWords(object)}: ${role} is a placeholder: set the role of your account.`));

/** Never shows a value. */
const secretsOf = (object: Manifest): Finding[] =>
  Object.entries(secretValues(object.metadata.name, object.metadata.namespace, [object]) ?? {})
    .filter(([, value]) => EXAMPLE_SECRET.test(value) || EXAMPLE_HOST.test(value))
    .map(([key]) => fault(`${inWords(object)}: ${key} has a value of secret.example.env: set your own.`));

function networksOf(object: Manifest): Finding[] {
  const rules: Part[] = [...(object.spec.egress ?? []), ...(object.spec.ingress ?? [])];
  const blocks: string[] = rules
    .flatMap(({ to = [], from = [] }) => [...to, ...from])
    .flatMap(({ ipBlock }) => ipBlock?.cidr ?? []);
  const network = object.metadata.name.replace(/^(?:migrate-)?(?:to|from)-/, '');
  return blocks
    .filter(cidr => EXAMPLE_NETWORKS.some(each => isInBlock({ cidr: each }, cidr.split('/')[0]!)))
    .map(cidr => fault(`networks.${network}: ${cidr} is a placeholder: set the network of your ${network}.`));
}
