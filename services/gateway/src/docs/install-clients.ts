/** The sentences about how to get the client and the command line. */
export const INSTALL_CLIENTS = `The packages are not in a public registry yet. In the repository of the service, \`npm run clients -- --pack DIR\` makes them. Then
\`npm install DIR/recording-request-client-*.tgz\` installs the TypeScript client, and \`npm install -g DIR/recording-request-*.tgz\` the command
\`rr\`. In the repository itself, use \`npm run rr --\` in place of \`rr\`.`;

/** The sentence about the versions of Node that run the programs. */
export const RUN_TYPESCRIPT =
  'Node 22.18 and newer run `.mts` files as they are; with Node 20, use `npx tsx` in place of `node`.';
