// A list whose members are taken out of it and put to its end without a search and without garbage: for what moves with every call.

/** A member's place in one list at a time. */
export class ListNode<Member> {
  readonly member: Member | undefined;
  previous: ListNode<Member> = this;
  next: ListNode<Member> = this;

  constructor(member: Member | undefined) {
    this.member = member;
  }

  /** Leaves the list, if it is in one. */
  leave(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this;
    this.next = this;
  }
}

/** Members in the order in which they were added. */
export class LinkedList<Member> {
  // A ring, which is closed by this node.
  readonly #end = new ListNode<Member>(undefined);

  get first(): Member | undefined {
    return this.#end.next.member;
  }

  /** Puts a node last. It is in no list, or leaves it. */
  addLast(node: ListNode<Member>): void {
    const end = this.#end;
    node.leave();
    node.previous = end.previous;
    node.next = end;
    end.previous.next = node;
    end.previous = node;
  }
}
