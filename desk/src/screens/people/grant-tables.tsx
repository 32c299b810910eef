/** Tables of grants: to read, and to change by a checkbox per content type and verb. */
import { Checkbox, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { fieldsText, type Row, subjectText, type Verb, VERBS } from './grants.ts';

interface FrameProps {
  readonly verbs: readonly Verb[];
  readonly more?: string;
  readonly children: ReactNode;
}

function TableFrame({ verbs, more, children }: FrameProps) {
  const texts = useTexts();
  return (
    <Table.ScrollContainer
      minWidth={640}
      scrollAreaProps={{
        viewportProps: { tabIndex: 0, role: 'region', 'aria-label': texts.persons.grants },
      }}
    >
      <Table verticalSpacing="xs" className="desk-grants">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.persons.subject}</Table.Th>
            {verbs.map((verb) => (
              <Table.Th key={verb}>{texts.persons.verbs[verb]}</Table.Th>
            ))}
            {more !== undefined && <Table.Th>{more}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

export function GrantTable({ rows }: { readonly rows: readonly Row[] }) {
  const texts = useTexts();
  const model = useModel();
  if (rows.length === 0) return <Text>{texts.persons.noGrants}</Text>;
  const hasLimits = rows.some(({ limits }) => limits.length > 0);
  const verbs = VERBS.filter((verb) => rows.some(({ cells }) => verb in cells));
  return (
    <TableFrame verbs={verbs} {...(hasLimits ? { more: texts.persons.limits } : {})}>
      {rows.map(({ name, cells, limits }, at) => (
        <Table.Tr key={`${at} ${name}`}>
          <Table.Th scope="row">{subjectText(name, { texts, model })}</Table.Th>
          {verbs.map((verb) => {
            const scope = cells[verb];
            return <Table.Td key={verb}>{scope === undefined ? '–' : texts.persons[scope]}</Table.Td>;
          })}
          {hasLimits && (
            <Table.Td>
              {limits.map(([verb, fields], index) => (
                <Text key={index} size="sm">
                  {texts.persons.grantOf(texts.persons.verbs[verb], fieldsText(name, fields, model))}
                </Text>
              ))}
            </Table.Td>
          )}
        </Table.Tr>
      ))}
    </TableFrame>
  );
}

interface Choice {
  readonly verb: Verb;
  readonly isOn: boolean;
  readonly toggle: () => void;
}

interface ChoiceRow {
  readonly key: string;
  readonly name: string;
  readonly choices: readonly Choice[];
}

interface ChoicesProps {
  readonly rows: readonly ChoiceRow[];
  readonly disabled?: boolean;
}

export function GrantChoices({ rows, disabled = false }: ChoicesProps) {
  const texts = useTexts();
  const model = useModel();
  const verbs = VERBS.filter((one) => rows.some(({ choices }) => choices.some(({ verb }) => verb === one)));
  return (
    <TableFrame verbs={verbs}>
      {rows.map(({ key, name, choices }) => {
        const subject = subjectText(name, { texts, model });
        return (
          <Table.Tr key={key}>
            <Table.Th scope="row">{subject}</Table.Th>
            {verbs.map((verb) => {
              const choice = choices.find((one) => one.verb === verb);
              return (
                <Table.Td key={verb}>
                  {choice !== undefined && (
                    <Checkbox
                      aria-label={texts.persons.grantOf(texts.persons.verbs[verb], subject)}
                      checked={choice.isOn}
                      disabled={disabled}
                      onChange={choice.toggle}
                    />
                  )}
                </Table.Td>
              );
            })}
          </Table.Tr>
        );
      })}
    </TableFrame>
  );
}
