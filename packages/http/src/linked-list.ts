// A linked list whose members can be removed or moved to the end without searching or allocating, for lists that change with every call. A
// Map or Set that changes so often replaces its table again and again. V8 links each replaced table to the next, so once one has reached
// the old generation, all later tables and their contents stay in memory until that one is collected.

/** A node, which is in at most one list at a time. */
export class ListNode<Member> {
  readonly member: Member | undefined;
  previous: ListNode<Member> = this;
  next: ListNode<Member> = this;

  constructor(member: Member | undefined) {
    this.member = member;
  }

  /** Removes the node from its list, if it is in one. */
  leave(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this;
    this.next = this;
  }
}

/** Members in the order in which they were added. */
export class LinkedList<Member> {
  // The list is a ring closed by this node.
  readonly #end = new ListNode<Member>(undefined);

  get first(): Member | undefined {
    return this.#end.next.member;
  }

  get last(): Member | undefined {
    return this.#end.previous.member;
  }

  /** Appends a node, removing it from its place in this list first. */
  addLast(node: ListNode<Member>): void {
    const end = this.#end;
    node.leave();
    node.previous = end.previous;
    node.next = end;
    end.previous.next = node;
    end.previous = node;
  }
}
