import { isIP } from 'node:net';
import type { Manifest } from '../manifests.ts';
import { type Finding, fault, inWords, type Part } from './finding.ts';

/** Returns a fault for each port and address of a NetworkPolicy that the API server refuses; its schema allows any text. */
export const policyFindings = (all: Manifest[]): Finding[] =>
  all
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .flatMap(policy => {
      const rules: Part[] = [...(policy.spec.egress ?? []), ...(policy.spec.ingress ?? [])];
      const ports = rules.flatMap(({ ports: some = [] }) => some ?? []).map(({ port }: Part) => port);
      const blocks = rules
        .flatMap(({ to, from }) => [...(to ?? []), ...(from ?? [])])
        .map(({ ipBlock }: Part) => ipBlock);
      const networks: string[] = blocks.filter(Boolean).flatMap(({ cidr, except = [] }: Part) => [cidr, ...except]);
      return [
        ...ports
          .filter(port => typeof port === 'string' && /^\d+$/.test(port))
          .map(port => fault(`${inWords(policy)}: the port "${port}" is a text: write ${port} without quotes.`)),
        ...networks
          .filter(network => !isNetwork(network))
          .map(network =>
            fault(`${inWords(policy)}: ${network} is no network: write it with its length, such as 10.1.0.0/24.`),
          ),
      ];
    });

function isNetwork(text: string): boolean {
  const [base = '', length = '', ...more] = text.split('/');
  const version = isIP(base);
  return version !== 0 && /^\d+$/.test(length) && Number(length) <= (version === 6 ? 128 : 32) && more.length === 0;
}
