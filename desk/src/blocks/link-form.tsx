/** Dialog for a link: to an address, or to a document that is found by search. */
import { Button, FocusTrap, Group, Select, Stack, TextInput } from '@mantine/core';
import type { Mark } from 'prosemirror-model';
import { type FormEvent, useEffect, useState } from 'react';
import { useForm } from '../fields/form-context.ts';
import { DocumentSearch } from '../fields/links-field.tsx';
import type { Link } from '../form/values.ts';
import type { Type } from '../model/model.ts';
import { useTexts } from '../texts/texts.ts';
import type { BlocksView } from './blocks-view.ts';
import { restOf } from './inlines.ts';
import { isRecord, type Rest } from './schema.ts';
import { addressOf, setLink, unlink } from './set-link.ts';

interface FormProps {
  readonly view: BlocksView;
  readonly link: Mark | null;
  readonly close: () => void;
}

export default function LinkForm({ view, link, close }: FormProps) {
  const texts = useTexts();
  const before = String(link?.attrs['url'] ?? '');
  const [typed, setTyped] = useState(before);
  useEffect(() => setTyped(before), [before]);
  const address = addressOf(typed);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    if (address === null) return;
    close();
    const rest: unknown = link?.attrs['rest'];
    // Another address is not a link to the document any more.
    const kept = isRecord(rest) ? restOf(rest, address === before ? [] : ['document']) : null;
    view.run(setLink({ url: address, rest: kept }));
  };
  const remove = (): void => {
    close();
    view.run(unlink);
  };
  const choose = (url: string, { title }: Link, rest: Rest): void => {
    close();
    view.run(setLink({ url, rest, text: title ?? url }));
  };
  // The form loads after its popover has opened, so it takes the focus itself.
  return (
    <FocusTrap>
      <Stack gap="xs" w={320} maw="80vw">
        <form onSubmit={submit}>
          <Stack gap="xs">
            <TextInput
              data-autofocus
              label={texts.blocks.address}
              placeholder="https://"
              value={typed}
              error={typed !== '' && address === null ? texts.blocks.noAddress : null}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Group gap="xs">
              <Button type="submit" size="xs" disabled={address === null}>
                {texts.apply}
              </Button>
              {link !== null && (
                <Button variant="default" size="xs" onClick={remove}>
                  {texts.blocks.unlink}
                </Button>
              )}
            </Group>
          </Stack>
        </form>
        <ToDocument choose={choose} />
      </Stack>
    </FocusTrap>
  );
}

/** Address of a document on the site: its route, without the prefix of the API. */
const addressOfDocument = ({ kind, route }: Type, { documentId }: Link): string =>
  kind === 'singleType' ? `/${route ?? ''}` : `/${route ?? ''}/${documentId}`;

function ToDocument({ choose }: { readonly choose: (url: string, link: Link, rest: Rest) => void }) {
  const texts = useTexts();
  const { model, type: own, locale } = useForm();
  const types = model.listed;
  const [name, setName] = useState((types.includes(own) ? own : types[0])?.name ?? '');
  const type = model.type(name);
  if (type === null) return null;
  const pick = (link: Link): void =>
    choose(addressOfDocument(type, link), link, {
      document: { type: type.name, documentId: link.documentId },
    });
  return (
    <>
      <Select
        label={texts.blocks.document}
        comboboxProps={{ withinPortal: false }}
        data={types.map(({ name: value, label }) => ({ value, label }))}
        value={name}
        allowDeselect={false}
        searchable={types.length > 8}
        onChange={(next) => setName(next ?? '')}
      />
      <DocumentSearch
        target={type}
        label={type.label}
        locale={locale}
        isOne
        links={[]}
        pick={pick}
        isInside
      />
    </>
  );
}
