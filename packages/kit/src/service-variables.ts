import { flag, integer, listen, text, type Variable } from './config.ts';

/** Variables of every service. */
export const processVariables = {
  logLevel: text('LOG_LEVEL', 'the least level of the lines that are written and sent', {
    default: 'info',
    pattern: /^(trace|debug|info|warn|error|fatal|silent)$/,
    expected: 'trace, debug, info, warn, error, fatal or silent',
  }),
  stopGraceSeconds: integer(
    'STOP_GRACE_SECONDS',
    'how long a stop may take; after that the process ends at once. Running jobs have all but its last 5 seconds, so the manifests give media and transcription more',
    { default: 25, min: 5, max: 7_200 },
  ),
};

/** Probes have no certificate. */
export const healthVariables = {
  healthListen: listen('HEALTH_LISTEN', 'where `grpc.health.v1` is served, in plaintext', '0.0.0.0:50053'),
};

/** How services authenticate each other. */
export const internalVariables = {
  internalPlaintext: flag('INTERNAL_PLAINTEXT', 'whether the services call each other without certificates'),
  tlsCertFile: tlsFile('TLS_CERT_FILE', "the service's certificate, then intermediate ones"),
  tlsKeyFile: tlsFile('TLS_KEY_FILE', 'its key, without a passphrase'),
  tlsCaFile: tlsFile('TLS_CA_FILE', 'the authorities that are believed'),
};

/** Variables of a service that other services call. */
export const grpcVariables = {
  grpcListen: listen('GRPC_LISTEN', 'where other services call it', '0.0.0.0:50051'),
};

/** Variables of a service that the operator calls. */
export const operatorVariables = {
  operatorListen: listen('OPERATOR_LISTEN', "where the operator's tool calls it", '0.0.0.0:50052'),
};

/** The path of a PEM file; without INTERNAL_PLAINTEXT=true it must be set. */
function tlsFile(name: string, description: string): Variable<string> {
  return {
    name,
    description: `${description}; not needed where \`INTERNAL_PLAINTEXT\` is \`true\``,
    expected: 'the path of a PEM file',
    required: false,
    parse(value, env) {
      if (value === undefined && env.INTERNAL_PLAINTEXT !== 'true') throw new Error('is not set');
      return value ?? '';
    },
  };
}
