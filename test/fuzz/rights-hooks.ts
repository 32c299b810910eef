/** Hooks of the host, for the fuzzer of rights: they note the documents of writes. */
import type { Type } from '@nestjs/common';
import { AfterContent, BeforeContent, type ContentEvent, OnContentCommitted } from 'nestjs-content-api';
import { type Entries, NEW } from './rights-logs.ts';
import type { TypeName } from './rights-model.ts';

/** Types with hooks. Writes of the others take the ways that need no code of the host. */
const HOOKED: readonly TypeName[] = ['report', 'page', 'item', 'story'];

const MOMENTS = { before: BeforeContent, after: AfterContent, committed: OnContentCommitted } as const;
const ACTIONS = ['create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft'] as const;

/** Actions of hooks by document, as a log for each moment. */
export class HookNotes {
  private readonly noted = new Map<string, Map<string, string[]>>();

  clear(): void {
    this.noted.clear();
  }

  note(moment: string, { documentId, action }: ContentEvent): void {
    const entries = this.noted.get(moment) ?? new Map<string, string[]>();
    const id = documentId ?? NEW;
    entries.set(id, [...(entries.get(id) ?? []), action]);
    this.noted.set(moment, entries);
  }

  /** Logs of the hooks of a type; none for a type without hooks. */
  logsOf(type: TypeName): ReadonlyMap<string, Entries> {
    const moments = HOOKED.includes(type) ? Object.keys(MOMENTS) : [];
    return new Map(moments.map((moment) => [`hooks ${moment}`, this.noted.get(moment) ?? new Map()]));
  }
}

/** Providers with the hooks of all types that have some. */
export const hooksFor = (notes: HookNotes): Type[] =>
  HOOKED.map((type) => {
    class Hooks {
      before(event: ContentEvent): void {
        notes.note('before', event);
      }
      after(event: ContentEvent): void {
        notes.note('after', event);
      }
      committed(event: ContentEvent): void {
        notes.note('committed', event);
      }
    }
    for (const [name, decorator] of Object.entries(MOMENTS)) {
      const method = Object.getOwnPropertyDescriptor(Hooks.prototype, name) as PropertyDescriptor;
      decorator(type, ...ACTIONS)(Hooks.prototype, name, method);
    }
    return Hooks;
  });
