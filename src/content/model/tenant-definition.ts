/** Options of types whose documents belong to tenants, or have authors. */
export interface TenantType {
  /**
   * Attribute that identifies the tenant of a document: a to-one relation, or a short scalar. Callers see and
   * write the documents whose value is that of their attribute of the same name; without one, none. The
   * service sets it on create, and requests cannot write it. The host application sees all. Excludes single
   * types and attributes with `unique`. Default none.
   */
  readonly tenant?: string;
}

export interface AuthoredType {
  /**
   * Adds the relations `createdBy` and `updatedBy` to the type `user`, which each write sets to its user, or
   * to null. Requests cannot write them, and responses contain them only if populated. Requires
   * `...userTypes()`. Default false.
   */
  readonly authors?: boolean;
}
