// Creates the MongoDB users, each with only the rights that its service needs. Each password is in a variable (PROJECTS_PASSWORD, …):
//   mongosh "$ADMIN_URL" deploy/rights/mongodb.js
// A user that exists keeps its password and gets the rights too, for example on the databases of another MONGO_DATABASE_PREFIX.
const { env } = process;
const prefix = env.MONGO_DATABASE_PREFIX ?? '';
const on = (database, ...roles) => roles.map(role => ({ role, db: prefix + database }));

const USERS = {
  projects: on('projects', 'readWrite'),
  submissions: on('submissions', 'readWrite'),
  webhooks: on('webhooks', 'readWrite'),
  // A migration changes indexes and documents of all three databases.
  migrate: ['projects', 'submissions', 'webhooks'].flatMap(each => on(each, 'readWrite', 'dbAdmin')),
  // A backup reads all three databases, and holds a lease in the databases of projects and submissions.
  backup: [...on('projects', 'readWrite'), ...on('submissions', 'readWrite'), ...on('webhooks', 'read')],
};

for (const [user, roles] of Object.entries(USERS)) {
  const pwd = env[`${user.toUpperCase()}_PASSWORD`];
  if (!pwd) throw new Error(`${user.toUpperCase()}_PASSWORD is not set`);
  const admin = db.getSiblingDB('admin');
  if (admin.getUser(user)) admin.grantRolesToUser(user, roles);
  else admin.createUser({ user, pwd, roles });
}
