/** Option of types whose documents belong to tenants. */
export interface TenantType {
  /**
   * Attribute that identifies the tenant of a document: a to-one relation, or a short scalar. Callers see and
   * write the documents whose value is that of their attribute of the same name; without one, none. The
   * service sets it on create, and requests cannot write it. The host application sees all. Excludes single
   * types and attributes with `unique`. Default none.
   */
  readonly tenant?: string;
}
