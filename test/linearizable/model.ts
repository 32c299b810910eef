/** Registers as content: an item for each slot, and shelves that show them through a relation. */
import { type ContentModuleOptions, defineCollectionType } from 'nestjs-content-api';

const item = defineCollectionType({
  singularApiId: 'item',
  pluralApiId: 'items',
  attributes: {
    slot: { type: 'integer' },
    token: { type: 'integer' },
    seq: { type: 'integer' },
    shelves: { type: 'relation', relation: 'manyToMany', target: 'shelf', mappedBy: 'items' },
  },
});
const shelf = defineCollectionType({
  singularApiId: 'shelf',
  pluralApiId: 'shelves',
  attributes: {
    name: { type: 'string' },
    items: { type: 'relation', relation: 'manyToMany', target: 'item', inversedBy: 'shelves' },
  },
});

export const model: Omit<ContentModuleOptions, 'database'> = {
  contentTypes: [item, shelf],
  maxLimit: 100,
  access: { public: { item: '*', shelf: '*' } },
};

/** Documents that stay, and slots whose document is replaced by another one. */
export const LASTING = 8;
export const REPLACED = 4;
export const SLOTS = Array.from({ length: LASTING + REPLACED }, (_, slot) => slot);

/** Each write of a slot has the next number, for all writers. */
export const NUMBERING = `
  create function number_writes() returns trigger language plpgsql as $$ begin new.seq := old.seq + 1; return new; end $$;
  create trigger number_writes before update on items for each row when (new.token is distinct from old.token)
    execute function number_writes()`;

/** Notifies all listeners of logged changes, for the check that only listens. */
export const NOTIFYING = `
  create function tell_changes() returns trigger language plpgsql as $$ begin
    perform pg_notify('content_change', json_build_object('type', new.type, 'xid', new.xid::text)::text);
    return null; end $$;
  create trigger tell_changes after insert on content_change for each row execute function tell_changes()`;
