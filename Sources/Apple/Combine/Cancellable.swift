/// Something that can be stopped.
public protocol Cancellable {
  /// Stops it; doing so again does nothing.
  func cancel()
}

/// A subscription: values come as long as it is kept, or until it is cancelled.
///
/// `@unchecked Sendable`: the closure is taken out under the lock, so it is called once.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
  private let lock = Lock()
  private var action: (() -> Void)?

  /// A subscription that the closure ends.
  public init(_ cancel: @escaping () -> Void) { action = cancel }

  deinit { cancel() }

  /// Ends the subscription.
  public func cancel() {
    let taken: (() -> Void)? = lock.withLock {
      defer { action = nil }
      return action
    }
    taken?()
  }

  /// Keeps the subscription in a set.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  /// Keeps the subscription at the end of a collection.
  public func store<Collection>(in collection: inout Collection)
  where Collection: RangeReplaceableCollection, Collection.Element == AnyCancellable {
    collection.append(self)
  }

  /// Two are equal where they are the same subscription.
  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

  /// Feeds the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
