/** Actions on one document besides reading and writing, and the content types with routes for them. */

/** Each action has a route below the document: `…/actions/publish`. */
export const DOCUMENT_ACTIONS = ['publish', 'unpublish', 'discard', 'schedule'] as const;

export type DocumentAction = (typeof DOCUMENT_ACTIONS)[number];

/** Actions with routes: all, none, or a list. */
export type ActionsOption = boolean | readonly DocumentAction[];

export function actionsOf({
  actions = false,
}: {
  readonly actions?: ActionsOption;
}): readonly DocumentAction[] {
  if (typeof actions === 'boolean') return actions ? DOCUMENT_ACTIONS : [];
  return DOCUMENT_ACTIONS.filter((action) => actions.includes(action));
}
