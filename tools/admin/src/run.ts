import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type { AccountsServiceServer, ApiToken, User } from '@recording-request/proto/accounts/v1/accounts';
import type { ProjectsOperatorServiceServer } from '@recording-request/proto/operator/v1/projects';
import type { ProjectSummary, ProjectsServiceServer } from '@recording-request/proto/projects/v1/projects';
import { tokenTable, tokenValue, userProperties, userTable, userValue } from './accounts.ts';
import type { Command } from './command.ts';
import { table, timeOf } from './table.ts';

export type Operator = ClientOf<ProjectsOperatorServiceServer>;

/** The output of a command: rows for a person, and the same content as a value for a program. */
export interface Report {
  lines: string[];
  value: unknown;
  /** A line for a person, which `value` does not contain. */
  note?: string;
  /** The command succeeded, but the operator must act on its findings: the exit status is 1. */
  failed?: boolean;
}

const PAGE = 1_000;
const DAY_MS = 86_400_000;
const HOUR_SECONDS = 3_600;
const SHOWN_ONCE = 'This token is shown only now: keep it.';

export type AccountsCommand = Extract<Command, { name: `users ${string}` | `tokens ${string}` }>;

/** Runs one command against the projects service. Fails with DomainErrors. */
export async function runCommand(operator: Operator, command: AccountsCommand): Promise<Report> {
  switch (command.name) {
    case 'users create':
      return userReport((await operator.createUser(command)).user!);
    case 'users set-limit':
      return userReport((await operator.setAllowance(command)).user!);
    case 'users list': {
      const users = await allUsers(operator);
      return { lines: userTable(users), value: users.map(userValue) };
    }
    case 'users show': {
      const shown = await operator.showUser(command);
      const { projects, tokens, liveTokens, lastUsedAt = null } = shown;
      const value = { ...userValue(shown.user!), projects, tokens, liveTokens, lastUsedAt };
      return { lines: userProperties(shown), value };
    }
    case 'users rename':
      return userReport((await operator.renameUser(command)).user!);
    case 'users disable':
    case 'users enable': {
      const { userId, name } = command;
      return userReport((await operator.setUserDisabled({ userId, disabled: name === 'users disable' })).user!);
    }
    case 'tokens create': {
      const days = command.expiresInDays;
      const expiresAt = days === undefined ? undefined : new Date(Date.now() + days * DAY_MS);
      const { token, secret } = await operator.createApiToken({ ...command, expiresAt });
      return { ...newSecret(token!, secret), note: SHOWN_ONCE };
    }
    case 'tokens rotate': {
      const { tokenId, overlapHours } = command;
      const overlapSeconds = overlapHours * HOUR_SECONDS;
      const { token, secret } = await operator.rotateApiToken({ apiTokenId: tokenId, overlapSeconds });
      const former = token!.formerUntil ? `works until ${timeOf(token!.formerUntil)}` : 'has ended';
      return { ...newSecret(token!, secret), note: `${SHOWN_ONCE} The previous token ${former}.` };
    }
    case 'tokens list': {
      const { tokens } = await operator.listApiTokens(command);
      return { lines: tokenTable(tokens, new Date()), value: tokens.map(tokenValue) };
    }
    case 'tokens revoke':
      return tokenReport((await operator.revokeApiToken({ apiTokenId: command.tokenId })).token!);
  }
}

/** Reports only the secret, so that a script can read it. */
const newSecret = (token: ApiToken, secret: string): Report => ({
  lines: [secret],
  value: { ...tokenValue(token), token: secret },
});

type ProjectsCommand = Extract<Command, { name: 'projects list' }>;

/** Returns the projects of a user, newest first. Fails with a DomainError when there is no such user. */
export async function listProjects(
  accounts: ClientOf<AccountsServiceServer>,
  projects: ClientOf<ProjectsServiceServer>,
  { userId }: ProjectsCommand,
): Promise<Report> {
  await accounts.getUser({ userId });
  const found = await allProjects(projects, userId);
  const rows = found.map(each => [each.projectId, timeOf(each.createdAt), endOf(each), each.projectName]);
  return { lines: table(PROJECT_COLUMNS, rows, 'no projects yet'), value: found.map(projectValue) };
}

const PROJECT_COLUMNS = ['PROJECT ID', 'CREATED', 'EXPIRES', 'NAME'] as const;
const endOf = ({ expiresAt }: ProjectSummary): string => (expiresAt ? timeOf(expiresAt) : 'never');

async function allProjects(projects: ClientOf<ProjectsServiceServer>, ownerId: string): Promise<ProjectSummary[]> {
  const all: ProjectSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await projects.listProjects({ ownerId, pageSize: PAGE, cursor });
    all.push(...page.summaries);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

async function allUsers(operator: Operator): Promise<User[]> {
  const all: User[] = [];
  for (;;) {
    const { users } = await operator.listUsers({ pageSize: PAGE, afterUserId: all.at(-1)?.userId ?? '' });
    all.push(...users);
    if (users.length < PAGE) return all;
  }
}

const userReport = (user: User): Report => ({ lines: userTable([user]), value: userValue(user) });
const tokenReport = (token: ApiToken): Report => ({ lines: tokenTable([token], new Date()), value: tokenValue(token) });

function projectValue({ projectId, projectName, createdAt, expiresAt }: ProjectSummary) {
  return { projectId, projectName, createdAt, expiresAt: expiresAt ?? null };
}
