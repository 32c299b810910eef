/** Replays cases against a running library and judges each response. */
import { parseRequest } from './parsed-request.ts';
import { authorization } from './callers.ts';
import type { Bearers } from './callers.ts';
import { type DescriptionOracle } from '../openapi/oracle.ts';
import { at, fill, variablesIn } from './cases.ts';
import type { Case, Model, Variables } from './cases.ts';
import { compare, IdMap } from './compare.ts';
import type { Context, Difference } from './compare.ts';
import { compareHead } from './head.ts';
import { EXACT, IMPROVEMENTS } from './improvements.ts';
import { Kinds } from './kinds.ts';
import { send } from './request.ts';
import type { Answer, Request } from './request.ts';
import { changedElsewhere } from './skips.ts';
import { Times } from './times.ts';

/** `partly`: identical except documents that cases outside these files have changed. */
export type Outcome = 'identical' | 'partly' | 'improved' | 'mismatched' | 'skipped';

export interface Result {
  readonly case: Case;
  readonly outcome: Outcome;
  /** Reason for a skip or a partial comparison, or the improvement. */
  readonly reason?: string;
  readonly differences: readonly Difference[];
  readonly answer?: Answer;
  /** SQL statements between the request and its response. */
  readonly statements: number;
}

export interface Replay {
  readonly cases: readonly Case[];
  readonly model: Model;
  readonly port: number;
  readonly bearers: Bearers;
  /** Document ids whose times the seed determines. */
  readonly pinned: ReadonlySet<string>;
  /** The running total of SQL statements. */
  readonly statements: () => number;
  /** Description that every response must fit, in addition to the record. */
  readonly oracle?: DescriptionOracle;
}

type Judgement = Pick<Result, 'outcome' | 'reason'> & Partial<Pick<Result, 'differences'>>;

class Player {
  private readonly variables: Variables = new Map();
  private readonly context: Context;
  private readonly earlier: Case[] = [];
  private readonly replay: Replay;

  constructor(replay: Replay) {
    this.replay = replay;
    const times = new Times(Date.now(), replay.pinned);
    this.context = { kinds: new Kinds(replay.model), ids: new IdMap(), times };
  }

  async play(recorded: Case): Promise<Result> {
    const skipped = (reason: string): Result => ({
      case: recorded,
      outcome: 'skipped',
      reason,
      differences: [],
      statements: 0,
    });
    if (recorded.volatile === true) return skipped('volatile');
    const unknown = [...variablesIn(recorded.pathTemplate), ...variablesIn(recorded.bodyTemplate)].find(
      (name) => !this.variables.has(name),
    );
    if (unknown !== undefined) return skipped(`{{${unknown}}} is captured by a case outside these files`);

    const request = this.request(recorded);
    const before = this.replay.statements();
    const answer = await send(this.replay.port, request);
    const statements = this.replay.statements() - before;
    this.capture(recorded, answer);
    const judged = await this.asDescribed(
      request,
      answer,
      await this.withHead(request, answer, this.judge(recorded, answer)),
    );
    this.earlier.push(recorded);
    return { case: recorded, differences: [], answer, statements, ...judged };
  }

  private request({ method, path, pathTemplate, headers, auth, body, bodyTemplate }: Case): Request {
    return {
      method,
      path: fill(pathTemplate ?? path, this.variables) as string,
      headers: { ...headers, ...authorization(auth, this.replay.bearers) },
      body: fill(bodyTemplate ?? body, this.variables),
    };
  }

  /** Repeats every GET as HEAD, which must have the same response without a body (1.10). */
  private async withHead(request: Request, answer: Answer, judged: Judgement): Promise<Judgement> {
    if (request.method !== 'GET') return judged;
    const differences = compareHead(answer, await send(this.replay.port, { ...request, method: 'HEAD' }));
    return differences.length === 0
      ? judged
      : { outcome: 'mismatched', differences: [...(judged.differences ?? []), ...differences] };
  }

  /** Checks that every response is in the caller's API description. */
  private async asDescribed(request: Request, answer: Answer, judged: Judgement): Promise<Judgement> {
    const { oracle } = this.replay;
    if (oracle === undefined) return judged;
    const { method, path, headers } = request;
    const { status, body } = answer;
    const problem = await oracle.problem({ method, path, headers, status, body });
    if (method !== 'GET' && path.startsWith('/api/users')) oracle.forget();
    if (problem === null) return judged;
    const difference = { path: 'description', recorded: 'as described', ours: problem };
    return { outcome: 'mismatched', differences: [...(judged.differences ?? []), difference] };
  }

  /** A value that the recording did not capture either is `undefined` in its later requests. */
  private capture({ capture = {} }: Case, answer: Answer): void {
    for (const [name, path] of Object.entries(capture)) this.variables.set(name, at(answer.body, path));
  }

  private judge(recorded: Case, answer: Answer): Judgement {
    const differences = this.compare(recorded, answer);
    if (differences.length === 0) return { outcome: 'identical' };
    return (
      this.improvement(recorded, answer, differences) ??
      this.partly(recorded, answer) ?? { outcome: 'mismatched', differences }
    );
  }

  private compare(recorded: Case, answer: Answer, foreign: ReadonlySet<string> = new Set()): Difference[] {
    const differences = compare(recorded, answer, { ...this.context, foreign });
    if (differences.length > 0) return differences;
    this.context.ids.keep();
    this.context.times.keep();
    return [];
  }

  /** Returns the only entry that applies to the case. If the entry has its response, ours must be equal. */
  private improvement(
    recorded: Case,
    answer: Answer,
    differences: readonly Difference[],
  ): Judgement | undefined {
    const request = parseRequest(recorded, this.replay.model);
    const [claim, another] = IMPROVEMENTS.filter(
      ({ applies, expects }) => applies(request) && expects(answer, request, differences),
    );
    if (claim === undefined || another !== undefined) return undefined;
    const exact = EXACT.get(recorded.n);
    const improved: Judgement = { outcome: 'improved', reason: claim.id };
    if (exact === undefined) return improved;
    const left = this.compare({ ...recorded, ...exact }, answer);
    return left.length === 0 ? improved : { outcome: 'mismatched', differences: left };
  }

  private partly(recorded: Case, answer: Answer): Judgement | undefined {
    const foreign = changedElsewhere(recorded, this.earlier);
    if (foreign.size === 0 || this.compare(recorded, answer, foreign).length > 0) return undefined;
    const names = [...foreign].join(', ');
    return { outcome: 'partly', reason: `shows ${names} as changed by a case outside these files` };
  }
}

export async function replay(options: Replay): Promise<Result[]> {
  const player = new Player(options);
  const results: Result[] = [];
  for (const recorded of options.cases) results.push(await player.play(recorded));
  return results;
}
