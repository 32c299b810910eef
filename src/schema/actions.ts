/** What can be done to one document beside reading and writing it, and which types have routes for it. */

/** Each is a route below the document, `…/actions/publish`. */
export const DOCUMENT_ACTIONS = ['publish', 'unpublish', 'discard', 'schedule'] as const;

export type DocumentAction = (typeof DOCUMENT_ACTIONS)[number];

/** Which of them have routes: all, none, or some. */
export type ActionsOption = boolean | readonly DocumentAction[];

/** The actions that a definition gives routes to. */
export function actionsOf({
  actions = false,
}: {
  readonly actions?: ActionsOption;
}): readonly DocumentAction[] {
  if (typeof actions === 'boolean') return actions ? DOCUMENT_ACTIONS : [];
  return DOCUMENT_ACTIONS.filter((action) => actions.includes(action));
}
