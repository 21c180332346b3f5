import { summaryOf } from '@recording-request/contract/present';
import type { ClientOf } from '@recording-request/kit/grpc-client';
import type { AccountsServiceServer, ApiToken, User } from '@recording-request/proto/accounts/v1/accounts';
import type { ProjectsOperatorServiceServer } from '@recording-request/proto/operator/v1/projects';
import type { ProjectSummary, ProjectsServiceServer } from '@recording-request/proto/projects/v1/projects';
import type { Command, DeadLettersCommand, EraseCommand } from './command.ts';

export type Operator = ClientOf<ProjectsOperatorServiceServer>;

/** What a command has to say: rows for a person, the same as a value for a program. */
export interface Report {
  lines: string[];
  value: unknown;
}

const PAGE = 1_000;
const DAY_MS = 86_400_000;

/** Runs one command against the projects service. Failures are DomainErrors. */
export async function runCommand(
  operator: Operator,
  command: Exclude<Command, { name: 'help' | 'backlog' } | ProjectsCommand | EraseCommand | DeadLettersCommand>,
): Promise<Report> {
  switch (command.name) {
    case 'users create':
      return userReport((await operator.createUser(command)).user!);
    case 'users set-limit':
      return userReport((await operator.setAllowance(command)).user!);
    case 'users list': {
      const users = await allUsers(operator);
      return { lines: users.length === 0 ? ['no users yet'] : users.map(userLine), value: users.map(userValue) };
    }
    case 'tokens create': {
      const days = command.expiresInDays;
      const expiresAt = days === undefined ? undefined : new Date(Date.now() + days * DAY_MS);
      const { token, secret } = await operator.createApiToken({ ...command, expiresAt });
      return { lines: [secret], value: { ...tokenValue(token!), token: secret } };
    }
    case 'tokens list': {
      const { tokens } = await operator.listApiTokens(command);
      return { lines: tokens.length === 0 ? ['no tokens yet'] : tokens.map(tokenLine), value: tokens.map(tokenValue) };
    }
    case 'tokens revoke': {
      const { token } = await operator.revokeApiToken({ apiTokenId: command.tokenId });
      return { lines: [tokenLine(token!)], value: tokenValue(token!) };
    }
  }
}

type ProjectsCommand = Extract<Command, { name: 'projects list' }>;

/** The projects of a user, newest first. A DomainError where there is no such user. */
export async function listProjects(
  accounts: ClientOf<AccountsServiceServer>,
  projects: ClientOf<ProjectsServiceServer>,
  { userId }: ProjectsCommand,
): Promise<Report> {
  await accounts.getUser({ userId });
  const found = await allProjects(projects, userId);
  return { lines: found.length === 0 ? ['no projects yet'] : found.map(projectLine), value: found.map(projectValue) };
}

async function allProjects(projects: ClientOf<ProjectsServiceServer>, ownerId: string): Promise<ProjectSummary[]> {
  const all: ProjectSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await projects.listProjects({ ownerId, pageSize: PAGE, cursor });
    // The one or the other: a service of the version before gives all projects at once.
    all.push(...page.summaries, ...page.projects.map(summaryOf));
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

const userReport = (user: User): Report => ({ lines: [userLine(user)], value: userValue(user) });

function userValue(user: User) {
  const { userId, userName, videosReserved, createdAt } = user;
  return { userId, userName, videoLimit: user.videoLimit ?? null, videosReserved, createdAt };
}

function userLine(user: User): string {
  const limit = user.videoLimit === undefined ? 'no limit' : `of ${user.videoLimit}`;
  return `${user.userId}  ${user.videosReserved} reserved, ${limit}  ${user.userName}`;
}

function projectValue({ projectId, projectName, createdAt, expiresAt }: ProjectSummary) {
  return { projectId, projectName, createdAt, expiresAt: expiresAt ?? null };
}

// The name is an owner's: it says nothing to the operator's terminal.
const projectLine = ({ projectId, projectName, createdAt }: ProjectSummary): string =>
  `${projectId}  ${createdAt?.toISOString()}  ${projectName.replace(/\p{Cc}/gu, ' ')}`;

function tokenValue(token: ApiToken) {
  const { apiTokenId, userId, label, scopes, createdAt } = token;
  return {
    tokenId: apiTokenId,
    userId,
    label,
    scopes,
    createdAt,
    expiresAt: token.expiresAt ?? null,
    revokedAt: token.revokedAt ?? null,
  };
}

function tokenLine(token: ApiToken): string {
  const state = token.revokedAt
    ? `revoked ${token.revokedAt.toISOString()}`
    : token.expiresAt
      ? `until ${token.expiresAt.toISOString()}`
      : 'no end';
  return `${token.apiTokenId}  ${state}  ${token.scopes.join(',')}  ${token.label}`;
}
