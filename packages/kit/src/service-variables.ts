import { flag, integer, listen, text, type Variable } from './config.ts';

/** Variables of every service. */
export const processVariables = {
  logLevel: text('LOG_LEVEL', 'the lowest level of the lines that are written and sent', {
    default: 'info',
    pattern: /^(trace|debug|info|warn|error|fatal|silent)$/,
    expected: 'trace, debug, info, warn, error, fatal or silent',
  }),
  stopGraceSeconds: integer(
    'STOP_GRACE_SECONDS',
    'the time limit of a stop; after it the process ends at once. Running jobs may use all but the last 5 seconds of it, and open uploads and downloads of the gateway and of submissions nearly as much, so the manifests set a longer time for these four services',
    { default: 25, min: 5, max: 7_200 },
  ),
};

/** The health listener is plaintext, because probes have no certificate. */
export const healthVariables = {
  healthListen: listen('HEALTH_LISTEN', 'the address of `grpc.health.v1`, in plaintext', '0.0.0.0:50053'),
};

/** The authentication between services. */
export const internalVariables = {
  internalPlaintext: flag('INTERNAL_PLAINTEXT', 'whether the services call each other without certificates'),
  tlsCertFile: tlsFile('TLS_CERT_FILE', 'the service’s certificate, followed by intermediate ones'),
  tlsKeyFile: tlsFile('TLS_KEY_FILE', 'the key of that certificate, without a passphrase'),
  tlsCaFile: tlsFile('TLS_CA_FILE', 'the trusted certificate authorities'),
};

/** Variables of a service that other services call. */
export const grpcVariables = {
  grpcListen: listen('GRPC_LISTEN', 'the address for calls from other services', '0.0.0.0:50051'),
};

/** Variables of a service that the operator calls. */
export const operatorVariables = {
  operatorListen: listen('OPERATOR_LISTEN', 'the address for calls from the operator’s tool', '0.0.0.0:50052'),
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
