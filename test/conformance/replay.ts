/** Replays cases against a running library and judges each answer. */
import { asked } from './asked.ts';
import type { Asked } from './asked.ts';
import { at, fill, variablesIn } from './cases.ts';
import type { Case, Model, Variables } from './cases.ts';
import { compare, IdMap } from './compare.ts';
import type { Difference } from './compare.ts';
import { IMPROVEMENTS } from './improvements.ts';
import { Kinds } from './kinds.ts';
import { send } from './request.ts';
import type { Answer } from './request.ts';
import { skipReason } from './skips.ts';

export interface Result {
  readonly case: Case;
  readonly outcome: 'matched' | 'improved' | 'mismatched' | 'skipped';
  /** Why it was skipped, or which improvement it is. */
  readonly reason?: string;
  readonly differences: readonly Difference[];
  readonly answer?: Answer;
  /** SQL statements between the request and its answer. */
  readonly statements: number;
}

export interface Replay {
  readonly cases: readonly Case[];
  readonly model: Model;
  readonly port: number;
  /** The running total of SQL statements. */
  readonly statements: () => number;
}

function authorization(auth: string): Record<string, string> {
  if (auth === 'public') return {};
  return { authorization: auth.startsWith('raw:') ? auth.slice('raw:'.length) : `Bearer ${auth}` };
}

/** Names the entry that covers the differences; none where several claim them. */
function improvementFor(
  request: Asked,
  answer: Answer,
  differences: readonly Difference[],
): string | undefined {
  const claims = IMPROVEMENTS.filter(
    ({ applies, expects }) => applies(request) && expects(answer, request, differences),
  );
  return claims.length === 1 ? claims[0]?.id : undefined;
}

class Player {
  private readonly variables: Variables = new Map();
  private readonly ids = new IdMap();
  private readonly kinds: Kinds;
  private readonly earlier: Case[] = [];
  private readonly replay: Replay;

  constructor(replay: Replay) {
    this.replay = replay;
    this.kinds = new Kinds(replay.model);
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
    if (unknown !== undefined)
      return skipped(`{{${unknown}}} is captured by a case that is not in these files`);

    const { answer, statements } = await this.send(recorded);
    this.capture(recorded, answer);
    const judged = this.judge(recorded, answer);
    this.earlier.push(recorded);
    return { case: recorded, differences: [], answer, statements, ...judged };
  }

  private async send(recorded: Case): Promise<{ answer: Answer; statements: number }> {
    const { method, headers, auth } = recorded;
    const path = fill(recorded.pathTemplate ?? recorded.path, this.variables) as string;
    const body = fill(recorded.bodyTemplate ?? recorded.body, this.variables);
    const before = this.replay.statements();
    const answer = await send(this.replay.port, {
      method,
      path,
      headers: { ...headers, ...authorization(auth) },
      body,
    });
    return { answer, statements: this.replay.statements() - before };
  }

  /** What the recording could not capture either stands as it stood in its later requests: `undefined`. */
  private capture({ capture = {} }: Case, answer: Answer): void {
    for (const [name, path] of Object.entries(capture)) this.variables.set(name, at(answer.body, path));
  }

  private judge(
    recorded: Case,
    answer: Answer,
  ): Pick<Result, 'outcome' | 'reason'> & Partial<Pick<Result, 'differences'>> {
    const differences = compare(recorded, answer, { kinds: this.kinds, ids: this.ids });
    if (differences.length === 0) {
      this.ids.keep();
      return { outcome: 'matched' };
    }
    const improvement = improvementFor(asked(recorded, this.replay.model), answer, differences);
    if (improvement !== undefined) return { outcome: 'improved', reason: improvement };
    const reason = skipReason(recorded, answer, this.earlier);
    if (reason !== undefined) return { outcome: 'skipped', reason };
    return { outcome: 'mismatched', differences };
  }
}

export async function replay(options: Replay): Promise<Result[]> {
  const player = new Player(options);
  const results: Result[] = [];
  for (const recorded of options.cases) results.push(await player.play(recorded));
  return results;
}
