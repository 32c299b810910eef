/** Bulk requests: several writes of one type, all or none. */
import { type Body, Refusal } from './body.ts';
import type { Item } from './commands.ts';
import { DEFAULT_LOCALE } from './content.ts';
import { bodyOf, dataOf, type Names } from './requests.ts';
import { type Type, typeNamed } from './shape.ts';
import type { World } from './world.ts';

const ACTIONS = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  publish: 'publish',
  unpublish: 'unpublish',
  discardDraft: 'discard',
} as const;

/** A write of a known document. */
interface Step {
  readonly item: Item;
  /** Undefined for a document that is to be created. */
  readonly id: string | undefined;
  readonly body: Body;
  /** Reason to refuse it; null if it is accepted. */
  readonly refusal: Refusal | null;
}

const NOTHING: Body = { scalars: {}, embedded: {}, relations: {} };

function applyStep(
  world: World,
  { item, id = '', body }: Omit<Step, 'refusal'>,
  by: { caller: string | null; newId: string },
): string[] {
  const locale = item.locale ?? DEFAULT_LOCALE;
  const some = locale === '*' ? null : locale;
  switch (item.verb) {
    case 'create':
      return world.create(typeNamed(item.type), by.newId, {
        locale,
        publish: !item.draft,
        body,
        caller: by.caller,
      });
    case 'update':
      return world.update(id, { locale, publish: !item.draft, body, caller: by.caller });
    case 'delete':
      // A document is deleted again without an error (23.6).
      return world.documents.has(id) ? world.delete(id, some, by.caller) : [];
    case 'publish':
      return world.release([{ id, locale: some, unpublish: false }]);
    case 'unpublish':
      return world.unpublish(id, some);
    case 'discardDraft':
      return world.discardDraft(id, some);
  }
}

/** Type and caller of a bulk request, and whether all items are written or none. */
interface About {
  readonly type: Type;
  readonly caller: string | null;
  readonly atomic: boolean;
}

export class BulkWrite {
  private readonly steps: readonly Step[];
  private readonly about: About;
  private readonly names: Names;

  /** Finds out what the items are in a world where the earlier ones are written. It stays as it was. */
  constructor(items: readonly Item[], about: About, names: Names) {
    const { world, find } = names;
    this.about = about;
    this.names = names;
    const ids = items.map(({ verb, slot }) => (verb === 'create' ? undefined : find(about.type.name, slot)));
    const takeBack = world.mark();
    this.steps = items.map((item, i): Step => {
      const step = { item, id: ids[i], body: 'body' in item ? bodyOf(item, names) : NOTHING };
      return { ...step, refusal: this.attempt(step, `new ${i}`) };
    });
    takeBack();
  }

  /** Writes an item. Returns the reason to refuse it, or null. */
  private attempt(step: Omit<Step, 'refusal'>, newId: string): Refusal | null {
    const takeBack = this.names.world.mark();
    try {
      applyStep(this.names.world, step, { caller: this.about.caller, newId });
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      takeBack();
      return error;
    }
  }

  /** Body of the request. */
  get body(): object {
    const data = this.steps.map(({ item, id, body }) => ({
      action: ACTIONS[item.verb],
      ...(id === undefined ? {} : { documentId: id }),
      ...(item.locale === null ? {} : { locale: item.locale }),
      ...('draft' in item && item.draft ? { status: 'draft' } : {}),
      ...('body' in item ? { data: dataOf(body, this.about.type, this.names) } : {}),
    }));
    return { data, ...(this.about.atomic ? {} : { atomic: false }) };
  }

  /** Indexes of the items that are refused on their own. */
  get refused(): readonly number[] {
    return this.steps.flatMap(({ refusal }, i) => (refusal === null ? [] : [i]));
  }

  /**
   * Writes the items to the model. Calls `note` after each with the versions that it has written, and its verb.
   * Throws the first Refusal if all are written or none.
   */
  apply(
    newId: (item: number) => string,
    note: (written: readonly string[], verb: Item['verb']) => void,
  ): void {
    const first = this.steps.find(({ refusal }) => refusal !== null)?.refusal ?? null;
    if (this.about.atomic && first !== null) throw first;
    for (const [i, step] of this.steps.entries())
      if (step.refusal === null)
        note(
          applyStep(this.names.world, step, { caller: this.about.caller, newId: newId(i) }),
          step.item.verb,
        );
  }
}
