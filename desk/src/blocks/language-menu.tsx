/** Menu for the language of a code block, loaded with the first one. */
import { useTexts } from '../texts/texts.ts';
import type { BlocksView } from './blocks-view.ts';
import { type Choice, ChoiceMenu } from './choice-menu.tsx';
import { schema } from './schema.ts';

const { nodes } = schema;

/** Languages of code blocks by the names that highlighters use. */
const CODE_LANGUAGES: readonly Choice[] = [
  ...[
    'Bash',
    'C',
    'CSS',
    'Diff',
    'Dockerfile',
    'Go',
    'GraphQL',
    'HTML',
    'Java',
    'JavaScript',
    'JSON',
    'Kotlin',
  ],
  ...['Markdown', 'PHP', 'Python', 'Ruby', 'Rust', 'SQL', 'Swift', 'TypeScript', 'XML', 'YAML'],
].map((label) => ({ value: label.toLowerCase(), label }));

export default function LanguageMenu({
  view,
  language,
}: {
  readonly view: BlocksView;
  readonly language: unknown;
}) {
  const texts = useTexts();
  const plain = { value: '', label: texts.blocks.noLanguage };
  const choices = [plain, ...CODE_LANGUAGES];
  const choose = (value: string): void =>
    view.run((state, dispatch) => {
      const { $from } = state.selection;
      if ($from.parent.type !== nodes.code) return false;
      dispatch?.(state.tr.setNodeAttribute($from.before(), 'language', value === '' ? null : value));
      return true;
    });
  const named = typeof language === 'string' && language !== '' ? language : null;
  const shown = named === null ? plain.label : (choices.find(({ value }) => value === named)?.label ?? named);
  return <ChoiceMenu {...{ view, label: texts.blocks.language, shown, choices, choose }} />;
}
